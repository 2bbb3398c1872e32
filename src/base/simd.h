/* simd.h - run-time choice between builds of one function for different vector units.
 *
 * A function marked SIMD_CLONES is compiled for plain x86-64, AVX2 and AVX-512 and picked when the
 * program is loaded. Since contraction is off, all versions give the same bytes. Sanitizers cannot
 * run the loader's choice, so they get the plain version, as does a test build with
 * SCONE_SIMD_PLAIN.
 */
#ifndef SCONE_BASE_SIMD_H
#define SCONE_BASE_SIMD_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) &&   \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(SCONE_SIMD_PLAIN)
#define SIMD_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
/* The same with fused multiply-add, for sums whose last bits may differ between machines; the file
 * is compiled with contraction on (CMakeLists.txt). */
#define SIMD_CLONES_FUSED                                                                          \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SIMD_CLONES
#define SIMD_CLONES_FUSED
#endif

/* For helpers of such functions: only what is inlined is compiled for the vector unit. */
#if defined(__GNUC__)
#define SIMD_INLINE static inline __attribute__((always_inline))
#else
#define SIMD_INLINE static inline
#endif

#endif
