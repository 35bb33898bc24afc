/* The kernels of hulls for processors with AVX2. Where there are none of these, Lattice_ and Lanes_ functions of this
 * form are never called. */
#include "base/base.h"

#define FORM(name) name##Fast
#define FORM_SIMD SCREE_X86
#include "shape/hull_kernel_internal.h"
