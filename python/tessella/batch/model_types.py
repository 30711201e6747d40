"""Which class tokenizes for a model, where a folder says what the model is: its ``config.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["class_of"]

# Kinds of models without a class of their own: whatever class their settings name says nothing.
_WITHOUT_CLASS = """
    EvollaModel arctic aria beam bigbird_pegasus camembertv2-base canary chatlm cohere_asr ernie4_5
    ernie4_5_moe flex_olmo fuyu glm glm4 glm4_moe glm4_moe_lite glm4v glm4v_moe glm_image glmasr
    got_ocr2 gpt_bigcode gradium_phonon_tts granite granitemoe granitemoehybrid granitemoeshared
    h2ovl_chat hyperclovax hyperclovax_vlm internlm2 internlm3 iquestcoder jamba kimi_k25 kimi_linear
    kosmos-2 llava llava_next mimo_v2_flash minicpm3 minicpm_ocr minicpmv minicpmv4_6 minicpmv4_7
    minimax_m2 ministral ministral3 mistral mistral3 mistral_large4 mixtral modernbert modernbert-
    decoder molmo molmo2 nemo_speechlm nemotron nvfp4 nystromformer olmo2 olmo3 olmo_hybrid opencua
    openvla paddleocr_vl pegasus_x persimmon phi3 phi3_v phimoe pix2struct pixtral pocket_tts smolvlm
    stablelm step3_vl umt5 vipllava voxtral voxtral_realtime xlm-roberta-xl
"""

#: The kinds of models whose class is known, for settings that name none.
_CLASSES = {
    kind: f"{name}Tokenizer"
    for name, kinds in {
        "Albert": "albert yoso",
        "Barthez": "barthez",
        "BigBird": "big_bird",
        "Camembert": "camembert",
        "CodeLlama": "code_llama",
        "DebertaV2": "deberta-v2",
        "FNet": "fnet",
        "Gemma": "diffusion_gemma gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma "
        "shieldgemma2 t5gemma zaya",
        "Llama": "idefics idefics2",
        "MBart": "mbart",
        "MBart50": "mbart50",
        "Nllb": "nllb nllb-moe",
        "Pegasus": "pegasus",
        "Reformer": "reformer",
        "RemBert": "rembert",
        "SeamlessM4T": "seamless_m4t seamless_m4t_v2",
        "T5": "mt5 musicgen musicgen_melody switch_transformers t5",
        "Tipsv2": "tipsv2",
        "VideoPrism": "videoprism",
        "XGLM": "xglm",
        "XLMRoberta": "gte jina_embeddings_v3 metaclip_2 trocr xlm-roberta xmod",
        "XLNet": "xlnet",
    }.items()
    for kind in kinds.split()
}


def class_of(config: Mapping[str, Any] | None, model: Mapping[str, Any] | None) -> str | None:
    """The class of a tokenizer by its own settings and by those of its model; ``None`` if neither says.

    Example:
        >>> from tessella.batch.model_types import class_of
        >>> class_of({"tokenizer_class": "LlamaTokenizer"}, {"model_type": "llama"})
        'LlamaTokenizer'
        >>> class_of(None, {"model_type": "mt5"})
        'T5Tokenizer'
    """
    own, model = config or {}, model or {}
    kind = model.get("model_type")
    if isinstance(kind, str) and kind in _WITHOUT_CLASS.split():
        return "PreTrainedTokenizerFast"
    stated = own.get("tokenizer_class") or model.get("tokenizer_class")
    return str(stated) if stated else _CLASSES.get(str(kind))
