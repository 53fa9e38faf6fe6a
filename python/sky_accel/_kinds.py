"""Checks of the vendor and the product line of an accelerator. `cargo xtask generate` writes this file.

A name that means several accelerators is of a kind if all of them are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._call import is_of_kind

if TYPE_CHECKING:
    from ._values import File, Many, Spec

__all__ = [
    "is_alveo",
    "is_amd",
    "is_apple",
    "is_arc",
    "is_aws",
    "is_cerebras",
    "is_gaudi",
    "is_geforce",
    "is_google",
    "is_gpu",
    "is_graphcore",
    "is_groq",
    "is_huawei",
    "is_inferentia",
    "is_instinct",
    "is_intel",
    "is_jetson",
    "is_mig",
    "is_nvidia",
    "is_quadro",
    "is_qualcomm",
    "is_radeon",
    "is_radeon_pro",
    "is_sambanova",
    "is_tenstorrent",
    "is_titan",
    "is_tpu",
    "is_trainium",
]


def is_alveo(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Alveo."""
    return is_of_kind("alveo", accelerator, catalog)


def is_amd(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of AMD."""
    return is_of_kind("amd", accelerator, catalog)


def is_apple(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Apple."""
    return is_of_kind("apple", accelerator, catalog)


def is_arc(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Arc."""
    return is_of_kind("arc", accelerator, catalog)


def is_aws(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of AWS."""
    return is_of_kind("aws", accelerator, catalog)


def is_cerebras(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Cerebras."""
    return is_of_kind("cerebras", accelerator, catalog)


def is_gaudi(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Gaudi."""
    return is_of_kind("gaudi", accelerator, catalog)


def is_geforce(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of GeForce."""
    return is_of_kind("geforce", accelerator, catalog)


def is_google(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Google."""
    return is_of_kind("google", accelerator, catalog)


def is_gpu(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is a GPU."""
    return is_of_kind("gpu", accelerator, catalog)


def is_graphcore(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Graphcore."""
    return is_of_kind("graphcore", accelerator, catalog)


def is_groq(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Groq."""
    return is_of_kind("groq", accelerator, catalog)


def is_huawei(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Huawei."""
    return is_of_kind("huawei", accelerator, catalog)


def is_inferentia(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Inferentia."""
    return is_of_kind("inferentia", accelerator, catalog)


def is_instinct(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Instinct."""
    return is_of_kind("instinct", accelerator, catalog)


def is_intel(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Intel."""
    return is_of_kind("intel", accelerator, catalog)


def is_jetson(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Jetson."""
    return is_of_kind("jetson", accelerator, catalog)


def is_mig(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is a GPU with MIG."""
    return is_of_kind("mig", accelerator, catalog)


def is_nvidia(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of NVIDIA."""
    return is_of_kind("nvidia", accelerator, catalog)


def is_quadro(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Quadro."""
    return is_of_kind("quadro", accelerator, catalog)


def is_qualcomm(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Qualcomm."""
    return is_of_kind("qualcomm", accelerator, catalog)


def is_radeon(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Radeon."""
    return is_of_kind("radeon", accelerator, catalog)


def is_radeon_pro(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Radeon PRO."""
    return is_of_kind("radeon pro", accelerator, catalog)


def is_sambanova(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of SambaNova."""
    return is_of_kind("sambanova", accelerator, catalog)


def is_tenstorrent(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Tenstorrent."""
    return is_of_kind("tenstorrent", accelerator, catalog)


def is_titan(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Titan."""
    return is_of_kind("titan", accelerator, catalog)


def is_tpu(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of TPU."""
    return is_of_kind("tpu", accelerator, catalog)


def is_trainium(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:
    """Whether an accelerator is of Trainium."""
    return is_of_kind("trainium", accelerator, catalog)
