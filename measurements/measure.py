#!/usr/bin/env python3
"""Measures fine-tuning and generating with transformers on this machine.

    measure.py --configs DIR < requests.jsonl > figures.jsonl

Reads requests of `sky-accel fit -`, one JSON object per line, and writes the measured figures of each run in the units
of this folder: GiB on the device, and tokens per second. `DIR/MODEL.json` is the config.json of a model. Weights and
tokens are random, because their values change neither memory nor speed. Sequences have the length of `context` in
requests with `packed`, and otherwise lengths from a quarter of it, padded to the longest of a batch.

Needs torch, transformers and accelerate; peft for LoRA; bitsandbytes for nf4 and adamw-8bit.
"""

import argparse
import gc
import json
import sys
import tempfile
import time
from pathlib import Path

import torch
import transformers

GIB = 2**30
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
# The first steps allocate the optimizer's state and choose kernels.
WARM_UP_STEPS = 2
OPTIMIZERS = {
    "adamw": "adamw_torch_fused",
    "adamw-8bit": "adamw_bnb_8bit",
    "adafactor": "adafactor",
    "sgd": "sgd",
}
TARGETS = {
    "all-linear": "all-linear",
    "attention": ["q_proj", "k_proj", "v_proj", "o_proj"],
    "qv": ["q_proj", "v_proj"],
}


class Tokens(torch.utils.data.Dataset):
    """Sequences of random tokens, of one length, or of lengths from a quarter of it."""

    def __init__(self, rows, length, vocabulary, varied):
        generator = torch.Generator().manual_seed(0)
        shortest = length // 4 if varied else length
        lengths = torch.randint(shortest, length + 1, (rows,), generator=generator).tolist()
        # The longest sequence is in the run, so its peak does not depend on chance.
        lengths[-1] = length
        self.ids = [torch.randint(0, vocabulary, (count,), generator=generator) for count in lengths]

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, row):
        return {"input_ids": self.ids[row], "labels": self.ids[row]}


def padded(examples):
    """Pads a batch to its longest sequence, as DataCollatorForLanguageModeling does."""

    def pad(sequences, value):
        return torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True, padding_value=value)

    ids = [example["input_ids"] for example in examples]
    labels = [example["labels"] for example in examples]
    mask = [torch.ones_like(sequence) for sequence in ids]
    return {"input_ids": pad(ids, 0), "labels": pad(labels, -100), "attention_mask": pad(mask, 0)}


class Timer(transformers.TrainerCallback):
    """The time of the steps after the warm-up."""

    def __init__(self, steps):
        self.steps = steps
        self.started = self.ended = 0.0

    def on_step_begin(self, args, state, control, **kwargs):
        if state.global_step == WARM_UP_STEPS:
            self.started = now()

    def on_step_end(self, args, state, control, **kwargs):
        if state.global_step == WARM_UP_STEPS + self.steps:
            self.ended = now()


def now():
    """The time in seconds when the device has done all work so far."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def forget():
    """Frees what earlier runs left, and forgets their peaks."""
    gc.collect()
    if DEVICE == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def peaks():
    if DEVICE != "cuda":
        return {}
    free, total = torch.cuda.mem_get_info()
    return {
        "allocated": torch.cuda.max_memory_allocated() / GIB,
        "reserved": torch.cuda.max_memory_reserved() / GIB,
        "device": (total - free) / GIB,
    }


def build(request, configs):
    config = transformers.AutoConfig.from_pretrained(configs / f"{request['model']}.json")
    dtype = torch.float32 if request.get("parameter_precision") == "fp32" else torch.bfloat16
    attention = {"flash": "sdpa"}.get(request.get("attention", "flash"), "eager")
    with torch.device(DEVICE):
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=dtype, attn_implementation=attention)
    model.config.use_cache = request["workload"] == "inference"
    return model


def quantize(model):
    """Replaces the matrices of the layers, as transformers does when it loads a checkpoint in nf4."""
    import bitsandbytes as bnb

    for _, module in list(model.named_modules()):
        for name, layer in list(module.named_children()):
            if not isinstance(layer, torch.nn.Linear) or name == "lm_head":
                continue
            quantized = bnb.nn.Linear4bit(
                layer.in_features,
                layer.out_features,
                bias=layer.bias is not None,
                compute_dtype=torch.bfloat16,
                quant_type="nf4",
                device="meta",
            )
            weight, layer.weight = layer.weight.data, None
            weight = bnb.nn.Params4bit(weight, requires_grad=False, quant_type="nf4", module=quantized)
            quantized.weight = weight.to(DEVICE)
            quantized.bias = layer.bias
            setattr(module, name, quantized)
    model.is_loaded_in_4bit = True
    return model


def adapt(model, request, dropout):
    import peft

    if request["precision"] == "nf4":
        model = peft.prepare_model_for_kbit_training(
            quantize(model),
            use_gradient_checkpointing=is_checkpointed(request),
            gradient_checkpointing_kwargs={"use_reentrant": False},
        )
    rank = request.get("lora_rank", 16)
    lora = peft.LoraConfig(
        r=rank,
        lora_alpha=2 * rank,
        lora_dropout=dropout,
        target_modules=TARGETS[request.get("lora_targets", "all-linear")],
        task_type="CAUSAL_LM",
    )
    return peft.get_peft_model(model, lora)


def is_checkpointed(request):
    return request.get("checkpointing", "full") == "full"


def train(request, configs, dropout):
    model = build(request, configs)
    vocabulary = model.config.vocab_size
    if request["workload"] == "lora":
        model = adapt(model, request, dropout)
    varied = "packed" not in request
    batch, length = request["batch"], request["context"]
    accumulation = request.get("gradient_accumulation", 1)
    timer = Timer(10 if varied else 3)
    steps = WARM_UP_STEPS + timer.steps
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=batch,
            gradient_accumulation_steps=accumulation,
            max_steps=steps,
            bf16=True,
            use_cpu=DEVICE == "cpu",
            gradient_checkpointing=is_checkpointed(request),
            gradient_checkpointing_kwargs={"use_reentrant": False},
            optim=OPTIMIZERS[request.get("optimizer", "adamw")],
            use_liger_kernel=request.get("logits") == "chunked",
            save_strategy="no",
            logging_strategy="no",
            report_to=[],
            disable_tqdm=True,
        )
        trainer = transformers.Trainer(
            model=model,
            args=arguments,
            train_dataset=Tokens(steps * accumulation * batch, length, vocabulary, varied),
            data_collator=padded if varied else None,
            callbacks=[timer],
        )
        trainer.remove_callback(transformers.trainer_callback.PrinterCallback)
        forget()
        trainer.train()
    seconds = (timer.ended - timer.started) / timer.steps
    return peaks() | {"train_tokens_per_s_per_device": accumulation * batch * length / seconds}


def generate(request, configs):
    model = build(request, configs).eval()
    batch, length, tokens = request["batch"], request["context"], request["generate"]
    ids = torch.randint(0, model.config.vocab_size, (batch, length), device=DEVICE)

    def seconds(count):
        start = now()
        options = {"max_new_tokens": count, "min_new_tokens": count, "do_sample": False, "pad_token_id": 0}
        with torch.inference_mode():
            model.generate(ids, attention_mask=torch.ones_like(ids), **options)
        return now() - start

    forget()
    seconds(2)
    first, whole = seconds(1), seconds(tokens)
    return peaks() | {
        "time_to_first_token_s": first,
        "decode_tokens_per_s": batch * (tokens - 1) / (whole - first),
        "output_tokens_per_s": batch * tokens / whole,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--configs", type=Path, required=True, help="folder with MODEL.json files")
    parser.add_argument("--dropout", type=float, default=0.0, help="dropout of adapters")
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["workload"] == "inference":
                figures = generate(request, options.configs)
            else:
                figures = train(request, options.configs, options.dropout)
        except torch.cuda.OutOfMemoryError:
            figures = {"error": "out of memory"}
        forget()
        print(json.dumps({"request": request, "figures": figures}), flush=True)


if __name__ == "__main__":
    main()
