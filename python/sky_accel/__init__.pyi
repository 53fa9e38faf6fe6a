from ._accelerator import *
from ._commands import *
from ._errors import *
from ._kinds import *
from ._native import __version__ as __version__

__all__: list[str]
