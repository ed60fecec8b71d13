"""The op definitions, one file per family of ops. Families that only Paddle 1.x has are in
`legacy`.

Importing this package tells `oarlock.core.op.OPS` which family defines each op. `OPS` imports a
family when one of its ops is first used.
"""

from ..core import device_dispatch as _device_dispatch
from ..core import native as _native
from ..core.op import CURRENT_TYPE_BY_OLDER as _CURRENT_TYPE_BY_OLDER
from ..core.op import OPS as _OPS
from .op_module_table import CURRENT_TYPE_BY_OLDER_TYPE as _CURRENT_TYPE_BY_OLDER_TYPE
from .op_module_table import TYPES_BY_MODULE as _TYPES_BY_MODULE

_OPS.add_modules(__name__, _TYPES_BY_MODULE)
_CURRENT_TYPE_BY_OLDER.update(_CURRENT_TYPE_BY_OLDER_TYPE)
