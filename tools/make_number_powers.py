#!/usr/bin/env python3
"""Writes src/text/number/number_powers.c: the powers of ten that src/text/number/number.c and number_format.c use.

Row q holds the 128 most significant bits of 10^q, scaled so that the top bit is set:
floor(10^q / 2^(floor(log2 10^q) - 127)). For -27 <= q < 0 it is the ceiling instead: there
w * 10^q can be exact (w divisible by a power of five below 2^64), and a product from below would
then miss it (Lemire, "Number parsing at a gigabyte per second", 2021, section 5).

    python3 tools/make_number_powers.py > src/text/number/number_powers.c
"""

LOWEST, HIGHEST = -342, 324


def row(q):
    power = 5 ** abs(q)
    if q >= 0:
        shift = power.bit_length() - 128
        return power >> shift if shift >= 0 else power << -shift
    shift = power.bit_length() + 127  # 2^shift / power is in (2^127, 2^128)
    return (1 << shift) // power + (1 if q >= -27 else 0)


print("/* number_powers.c - powers of ten; made by tools/make_number_powers.py, do not edit. */")
print('#include "text/number/number_powers.h"')
print()
print("/* clang-format off */")
print("const uint64_t number_powers[NUMBER_POWER_HIGHEST - NUMBER_POWER_LOWEST + 1][2] = {")
for q in range(LOWEST, HIGHEST + 1):
    value = row(q)
    assert value.bit_length() == 128
    print("    {0x%016x, 0x%016x}, /* %d */" % (value >> 64, value & (2**64 - 1), q))
print("};")
