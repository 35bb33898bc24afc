/* The kernels of hulls for every processor. */
#include "base/base.h"

#define FORM(name) name##Plain
#define FORM_SIMD 0
#include "shape/hull_kernel_internal.h"
