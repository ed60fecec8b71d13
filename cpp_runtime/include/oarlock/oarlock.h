// All C++ headers of the library.  For C: oarlock_c.h.
#pragma once
#include "oarlock/device.h"
#include "oarlock/dim_range.h"
#include "oarlock/dtype.h"
#include "oarlock/error.h"
#include "oarlock/half.h"
#include "oarlock/io_binding.h"
#include "oarlock/model.h"
#include "oarlock/pipeline.h"
#include "oarlock/session.h"
#include "oarlock/session_pool.h"
#include "oarlock/tensor.h"
#include "oarlock/version.h"
