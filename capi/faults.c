//go:build faults

#include "test/faults.h"

#include "_cgo_export.h"

AOSO_API void aoso_test_panic(int32_t place, int64_t n) { goaoso_test_panic(place, n); }
AOSO_API void aoso_test_deny(int64_t n) { goaoso_test_deny(n); }
AOSO_API int64_t aoso_test_questions(void) { return goaoso_test_questions(); }
AOSO_API int64_t aoso_test_handles(void) { return goaoso_test_handles(); }
