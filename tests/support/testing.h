/* testing.h - cmocka with comparisons that NaN never passes. Include this instead of cmocka.h. */
#ifndef SCONE_TESTS_TESTING_H
#define SCONE_TESTS_TESTING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scone.h"

/* |actual - expected| <= tolerance; fails if anything is NaN */
#define CHECK_NEAR(actual_, expected_, tolerance_)                                                 \
    do {                                                                                           \
        double a_ = (actual_), e_ = (expected_), t_ = (tolerance_);                                \
        if (!(fabs(a_ - e_) <= t_)) {                                                              \
            fail_msg("%s is %.17g, expected %.17g within %g", #actual_, a_, e_, t_);               \
        }                                                                                          \
    } while (0)

/* same bits, so -0 differs from 0 and NaN equals itself */
#define CHECK_SAME(actual_, expected_)                                                             \
    do {                                                                                           \
        double a_ = (actual_), e_ = (expected_);                                                   \
        if (memcmp(&a_, &e_, sizeof a_) != 0) {                                                    \
            fail_msg("%s is %.17g, expected exactly %.17g", #actual_, a_, e_);                     \
        }                                                                                          \
    } while (0)

#define CHECK(condition_)                                                                          \
    do {                                                                                           \
        if (!(condition_)) fail_msg("%s", #condition_);                                            \
    } while (0)

#define CHECK_OK(call_)                                                                            \
    do {                                                                                           \
        scone_status s_ = (call_);                                                                 \
        if (s_ != SCONE_OK) fail_msg("%s: status %d: %s", #call_, (int)s_, scone_error_message()); \
    } while (0)

/* The call fails with this status, and its message contains the text. */
#define CHECK_FAILS(call_, status_, text_)                                                         \
    do {                                                                                           \
        scone_status s_ = (call_);                                                                 \
        if (s_ != (status_)) {                                                                     \
            fail_msg("%s: status %d, expected %d (%s)", #call_, (int)s_, (int)(status_),           \
                     scone_error_message());                                                       \
        } else if (!strstr(scone_error_message(), (text_))) {                                      \
            fail_msg("%s: message '%s' lacks '%s'", #call_, scone_error_message(), (text_));       \
        }                                                                                          \
    } while (0)

#endif
