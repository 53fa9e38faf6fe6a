_sky__accel() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="sky__accel"
                ;;
            sky__accel,bill)
                cmd="sky__accel__subcmd__bill"
                ;;
            sky__accel,browse)
                cmd="sky__accel__subcmd__browse"
                ;;
            sky__accel,catalog)
                cmd="sky__accel__subcmd__catalog"
                ;;
            sky__accel,compare)
                cmd="sky__accel__subcmd__compare"
                ;;
            sky__accel,completions)
                cmd="sky__accel__subcmd__completions"
                ;;
            sky__accel,config)
                cmd="sky__accel__subcmd__config"
                ;;
            sky__accel,convert)
                cmd="sky__accel__subcmd__convert"
                ;;
            sky__accel,detect)
                cmd="sky__accel__subcmd__detect"
                ;;
            sky__accel,fit)
                cmd="sky__accel__subcmd__fit"
                ;;
            sky__accel,help)
                cmd="sky__accel__subcmd__help"
                ;;
            sky__accel,is)
                cmd="sky__accel__subcmd__is"
                ;;
            sky__accel,list)
                cmd="sky__accel__subcmd__list"
                ;;
            sky__accel,live)
                cmd="sky__accel__subcmd__live"
                ;;
            sky__accel,man)
                cmd="sky__accel__subcmd__man"
                ;;
            sky__accel,mcp)
                cmd="sky__accel__subcmd__mcp"
                ;;
            sky__accel,mig)
                cmd="sky__accel__subcmd__mig"
                ;;
            sky__accel,mix)
                cmd="sky__accel__subcmd__mix"
                ;;
            sky__accel,models)
                cmd="sky__accel__subcmd__models"
                ;;
            sky__accel,plan)
                cmd="sky__accel__subcmd__plan"
                ;;
            sky__accel,prices)
                cmd="sky__accel__subcmd__prices"
                ;;
            sky__accel,quota)
                cmd="sky__accel__subcmd__quota"
                ;;
            sky__accel,recommend)
                cmd="sky__accel__subcmd__recommend"
                ;;
            sky__accel,report)
                cmd="sky__accel__subcmd__report"
                ;;
            sky__accel,resolve)
                cmd="sky__accel__subcmd__resolve"
                ;;
            sky__accel,show)
                cmd="sky__accel__subcmd__show"
                ;;
            sky__accel,watch)
                cmd="sky__accel__subcmd__watch"
                ;;
            sky__accel,web)
                cmd="sky__accel__subcmd__web"
                ;;
            sky__accel__subcmd__catalog,compile)
                cmd="sky__accel__subcmd__catalog__subcmd__compile"
                ;;
            sky__accel__subcmd__catalog,diff)
                cmd="sky__accel__subcmd__catalog__subcmd__diff"
                ;;
            sky__accel__subcmd__catalog,path)
                cmd="sky__accel__subcmd__catalog__subcmd__path"
                ;;
            sky__accel__subcmd__catalog,update)
                cmd="sky__accel__subcmd__catalog__subcmd__update"
                ;;
            sky__accel__subcmd__catalog,verify)
                cmd="sky__accel__subcmd__catalog__subcmd__verify"
                ;;
            sky__accel__subcmd__config,show)
                cmd="sky__accel__subcmd__config__subcmd__show"
                ;;
            sky__accel__subcmd__config,trust)
                cmd="sky__accel__subcmd__config__subcmd__trust"
                ;;
            sky__accel__subcmd__live,doctor)
                cmd="sky__accel__subcmd__live__subcmd__doctor"
                ;;
            sky__accel__subcmd__mig,fit)
                cmd="sky__accel__subcmd__mig__subcmd__fit"
                ;;
            sky__accel__subcmd__mig,pack)
                cmd="sky__accel__subcmd__mig__subcmd__pack"
                ;;
            sky__accel__subcmd__mig,profiles)
                cmd="sky__accel__subcmd__mig__subcmd__profiles"
                ;;
            sky__accel__subcmd__models,add)
                cmd="sky__accel__subcmd__models__subcmd__add"
                ;;
            sky__accel__subcmd__models,remove)
                cmd="sky__accel__subcmd__models__subcmd__remove"
                ;;
            sky__accel__subcmd__plan,diff)
                cmd="sky__accel__subcmd__plan__subcmd__diff"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        sky__accel)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version list show compare resolve bill mix prices browse recommend report web fit models plan convert mig watch quota live detect is mcp catalog config completions help man"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__bill)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --hours --month --model --live --commit --upfront --provider --region --capacity-type --tier --max-price --max-age --price --min-vcpu --min-host-memory --interconnect --available --limit --currency --all --sessions --hours-per-session --storage --egress --ingress --idle --start --bandwidth --ipv4 --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --hours)
                    COMPREPLY=()
                    return 0
                    ;;
                --model)
                    COMPREPLY=()
                    return 0
                    ;;
                --commit)
                    COMPREPLY=()
                    return 0
                    ;;
                --upfront)
                    COMPREPLY=($(compgen -W "none partial all" -- "${cur}"))
                    return 0
                    ;;
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --region)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-type)
                    COMPREPLY=($(compgen -W "on-demand spot any" -- "${cur}"))
                    return 0
                    ;;
                --tier)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-price)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                --price)
                    COMPREPLY=($(compgen -W "likely stated" -- "${cur}"))
                    return 0
                    ;;
                --min-vcpu)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-host-memory)
                    COMPREPLY=()
                    return 0
                    ;;
                --interconnect)
                    COMPREPLY=($(compgen -W "efa infiniband nvlink any" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=()
                    return 0
                    ;;
                --currency)
                    COMPREPLY=()
                    return 0
                    ;;
                --sessions)
                    COMPREPLY=()
                    return 0
                    ;;
                --hours-per-session)
                    COMPREPLY=()
                    return 0
                    ;;
                --storage)
                    COMPREPLY=()
                    return 0
                    ;;
                --egress)
                    COMPREPLY=()
                    return 0
                    ;;
                --ingress)
                    COMPREPLY=()
                    return 0
                    ;;
                --idle)
                    COMPREPLY=()
                    return 0
                    ;;
                --start)
                    COMPREPLY=()
                    return 0
                    ;;
                --bandwidth)
                    COMPREPLY=()
                    return 0
                    ;;
                --ipv4)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__browse)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --provider --region --capacity-type --tier --max-price --max-age --price --min-vcpu --min-host-memory --interconnect --available --limit --currency --live --public --refresh --timeout --model-size --assume --group-size --kv-precision --max-context --micro-batch --batch --images --audio-hours --steps --height --width --frames --users --request-rate --requests --max-ttft --min-speed --max-tpot --prefix-cache --images-per-request --image-tokens --speculative --length-spread --admission-interval --disaggregated --engine-version --calibrate --energy --gpu-memory-utilization --max-batched-tokens --max-num-seqs --sampling --attention --logits --gpu-layers --n-cpu-moe --host-bandwidth --compile --optimizer --optimizer-in-backward --master-weights --parameter-precision --gradient-precision --checkpointing --lora-rank --lora-targets --offload --gradient-accumulation --global-batch --virtual-pipeline --packed --modules-to-save --rollouts --off-policy-steps --tensor-parallel --pipeline-parallel --data-parallel --context-parallel --expert-parallel --zero-stage --shard-groups --workload --context --generate --engine --model --precision --reference-model --teacher-model --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "names json spec" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "names json spec" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --region)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-type)
                    COMPREPLY=($(compgen -W "on-demand spot any" -- "${cur}"))
                    return 0
                    ;;
                --tier)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-price)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                --price)
                    COMPREPLY=($(compgen -W "likely stated" -- "${cur}"))
                    return 0
                    ;;
                --min-vcpu)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-host-memory)
                    COMPREPLY=()
                    return 0
                    ;;
                --interconnect)
                    COMPREPLY=($(compgen -W "efa infiniband nvlink any" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=()
                    return 0
                    ;;
                --currency)
                    COMPREPLY=()
                    return 0
                    ;;
                --timeout)
                    COMPREPLY=()
                    return 0
                    ;;
                --model-size)
                    COMPREPLY=()
                    return 0
                    ;;
                --assume)
                    COMPREPLY=()
                    return 0
                    ;;
                --group-size)
                    COMPREPLY=()
                    return 0
                    ;;
                --kv-precision)
                    COMPREPLY=($(compgen -W "bf16 fp8 int8 q8_0 q4_0" -- "${cur}"))
                    return 0
                    ;;
                --max-context)
                    COMPREPLY=()
                    return 0
                    ;;
                --batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --micro-batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --images)
                    COMPREPLY=()
                    return 0
                    ;;
                --audio-hours)
                    COMPREPLY=()
                    return 0
                    ;;
                --steps)
                    COMPREPLY=()
                    return 0
                    ;;
                --height)
                    COMPREPLY=()
                    return 0
                    ;;
                --width)
                    COMPREPLY=()
                    return 0
                    ;;
                --frames)
                    COMPREPLY=()
                    return 0
                    ;;
                --users)
                    COMPREPLY=()
                    return 0
                    ;;
                --request-rate)
                    COMPREPLY=()
                    return 0
                    ;;
                --requests)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-ttft)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-speed)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-tpot)
                    COMPREPLY=()
                    return 0
                    ;;
                --prefix-cache)
                    COMPREPLY=()
                    return 0
                    ;;
                --images-per-request)
                    COMPREPLY=()
                    return 0
                    ;;
                --image-tokens)
                    COMPREPLY=()
                    return 0
                    ;;
                --speculative)
                    COMPREPLY=()
                    return 0
                    ;;
                --length-spread)
                    COMPREPLY=()
                    return 0
                    ;;
                --admission-interval)
                    COMPREPLY=()
                    return 0
                    ;;
                --disaggregated)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --engine-version)
                    COMPREPLY=()
                    return 0
                    ;;
                --calibrate)
                    COMPREPLY=()
                    return 0
                    ;;
                --energy)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --gpu-memory-utilization)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-batched-tokens)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-num-seqs)
                    COMPREPLY=()
                    return 0
                    ;;
                --sampling)
                    COMPREPLY=($(compgen -W "greedy top-p penalties" -- "${cur}"))
                    return 0
                    ;;
                --attention)
                    COMPREPLY=($(compgen -W "flash sdpa eager" -- "${cur}"))
                    return 0
                    ;;
                --logits)
                    COMPREPLY=($(compgen -W "last all chunked none" -- "${cur}"))
                    return 0
                    ;;
                --gpu-layers)
                    COMPREPLY=()
                    return 0
                    ;;
                --n-cpu-moe)
                    COMPREPLY=()
                    return 0
                    ;;
                --host-bandwidth)
                    COMPREPLY=()
                    return 0
                    ;;
                --compile)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --optimizer)
                    COMPREPLY=($(compgen -W "adamw adamw-8bit adafactor muon sgd" -- "${cur}"))
                    return 0
                    ;;
                --optimizer-in-backward)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --master-weights)
                    COMPREPLY=($(compgen -W "fp32 none" -- "${cur}"))
                    return 0
                    ;;
                --parameter-precision)
                    COMPREPLY=($(compgen -W "bf16 fp32" -- "${cur}"))
                    return 0
                    ;;
                --gradient-precision)
                    COMPREPLY=($(compgen -W "bf16 fp32" -- "${cur}"))
                    return 0
                    ;;
                --checkpointing)
                    COMPREPLY=($(compgen -W "none selective full" -- "${cur}"))
                    return 0
                    ;;
                --lora-rank)
                    COMPREPLY=()
                    return 0
                    ;;
                --lora-targets)
                    COMPREPLY=($(compgen -W "qv attention all-linear" -- "${cur}"))
                    return 0
                    ;;
                --offload)
                    COMPREPLY=($(compgen -W "none optimizer all" -- "${cur}"))
                    return 0
                    ;;
                --gradient-accumulation)
                    COMPREPLY=()
                    return 0
                    ;;
                --global-batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --virtual-pipeline)
                    COMPREPLY=()
                    return 0
                    ;;
                --packed)
                    COMPREPLY=()
                    return 0
                    ;;
                --modules-to-save)
                    COMPREPLY=()
                    return 0
                    ;;
                --rollouts)
                    COMPREPLY=()
                    return 0
                    ;;
                --off-policy-steps)
                    COMPREPLY=()
                    return 0
                    ;;
                --tensor-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --pipeline-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --data-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --context-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --expert-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --zero-stage)
                    COMPREPLY=()
                    return 0
                    ;;
                --shard-groups)
                    COMPREPLY=()
                    return 0
                    ;;
                --workload)
                    COMPREPLY=()
                    return 0
                    ;;
                --context)
                    COMPREPLY=()
                    return 0
                    ;;
                --generate)
                    COMPREPLY=()
                    return 0
                    ;;
                --engine)
                    COMPREPLY=($(compgen -W "none transformers vllm sglang llama.cpp tensorrt-llm deepspeed torchtitan torchtune litgpt ms-swift unsloth axolotl" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=()
                    return 0
                    ;;
                --precision)
                    COMPREPLY=()
                    return 0
                    ;;
                --reference-model)
                    COMPREPLY=()
                    return 0
                    ;;
                --teacher-model)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__catalog)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version verify compile diff path update"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__catalog__subcmd__compile)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=()
                    return 0
                    ;;
                -o)
                    COMPREPLY=()
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__catalog__subcmd__diff)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__catalog__subcmd__path)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__catalog__subcmd__update)
            opts="-o -0 -q -v -h -V --provider --from --digest --into --dry-run --public --timeout --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -W "providers gpuhunt skypilot litellm genai-prices" -- "${cur}"))
                    return 0
                    ;;
                --digest)
                    COMPREPLY=()
                    return 0
                    ;;
                --into)
                    COMPREPLY=()
                    return 0
                    ;;
                --timeout)
                    COMPREPLY=()
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__catalog__subcmd__verify)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__compare)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --provider --region --capacity-type --tier --max-price --max-age --price --min-vcpu --min-host-memory --interconnect --available --limit --currency --commit --upfront --model-size --assume --group-size --kv-precision --max-context --micro-batch --batch --images --audio-hours --steps --height --width --frames --users --request-rate --requests --max-ttft --min-speed --max-tpot --prefix-cache --images-per-request --image-tokens --speculative --length-spread --admission-interval --disaggregated --engine-version --calibrate --energy --gpu-memory-utilization --max-batched-tokens --max-num-seqs --sampling --attention --logits --gpu-layers --n-cpu-moe --host-bandwidth --compile --optimizer --optimizer-in-backward --master-weights --parameter-precision --gradient-precision --checkpointing --lora-rank --lora-targets --offload --gradient-accumulation --global-batch --virtual-pipeline --packed --modules-to-save --rollouts --off-policy-steps --tensor-parallel --pipeline-parallel --data-parallel --context-parallel --expert-parallel --zero-stage --shard-groups --workload --context --generate --engine --model --precision --reference-model --teacher-model --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --region)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-type)
                    COMPREPLY=($(compgen -W "on-demand spot any" -- "${cur}"))
                    return 0
                    ;;
                --tier)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-price)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                --price)
                    COMPREPLY=($(compgen -W "likely stated" -- "${cur}"))
                    return 0
                    ;;
                --min-vcpu)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-host-memory)
                    COMPREPLY=()
                    return 0
                    ;;
                --interconnect)
                    COMPREPLY=($(compgen -W "efa infiniband nvlink any" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=()
                    return 0
                    ;;
                --currency)
                    COMPREPLY=()
                    return 0
                    ;;
                --commit)
                    COMPREPLY=()
                    return 0
                    ;;
                --upfront)
                    COMPREPLY=($(compgen -W "none partial all" -- "${cur}"))
                    return 0
                    ;;
                --model-size)
                    COMPREPLY=()
                    return 0
                    ;;
                --assume)
                    COMPREPLY=()
                    return 0
                    ;;
                --group-size)
                    COMPREPLY=()
                    return 0
                    ;;
                --kv-precision)
                    COMPREPLY=($(compgen -W "bf16 fp8 int8 q8_0 q4_0" -- "${cur}"))
                    return 0
                    ;;
                --max-context)
                    COMPREPLY=()
                    return 0
                    ;;
                --batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --micro-batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --images)
                    COMPREPLY=()
                    return 0
                    ;;
                --audio-hours)
                    COMPREPLY=()
                    return 0
                    ;;
                --steps)
                    COMPREPLY=()
                    return 0
                    ;;
                --height)
                    COMPREPLY=()
                    return 0
                    ;;
                --width)
                    COMPREPLY=()
                    return 0
                    ;;
                --frames)
                    COMPREPLY=()
                    return 0
                    ;;
                --users)
                    COMPREPLY=()
                    return 0
                    ;;
                --request-rate)
                    COMPREPLY=()
                    return 0
                    ;;
                --requests)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-ttft)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-speed)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-tpot)
                    COMPREPLY=()
                    return 0
                    ;;
                --prefix-cache)
                    COMPREPLY=()
                    return 0
                    ;;
                --images-per-request)
                    COMPREPLY=()
                    return 0
                    ;;
                --image-tokens)
                    COMPREPLY=()
                    return 0
                    ;;
                --speculative)
                    COMPREPLY=()
                    return 0
                    ;;
                --length-spread)
                    COMPREPLY=()
                    return 0
                    ;;
                --admission-interval)
                    COMPREPLY=()
                    return 0
                    ;;
                --disaggregated)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --engine-version)
                    COMPREPLY=()
                    return 0
                    ;;
                --calibrate)
                    COMPREPLY=()
                    return 0
                    ;;
                --energy)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --gpu-memory-utilization)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-batched-tokens)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-num-seqs)
                    COMPREPLY=()
                    return 0
                    ;;
                --sampling)
                    COMPREPLY=($(compgen -W "greedy top-p penalties" -- "${cur}"))
                    return 0
                    ;;
                --attention)
                    COMPREPLY=($(compgen -W "flash sdpa eager" -- "${cur}"))
                    return 0
                    ;;
                --logits)
                    COMPREPLY=($(compgen -W "last all chunked none" -- "${cur}"))
                    return 0
                    ;;
                --gpu-layers)
                    COMPREPLY=()
                    return 0
                    ;;
                --n-cpu-moe)
                    COMPREPLY=()
                    return 0
                    ;;
                --host-bandwidth)
                    COMPREPLY=()
                    return 0
                    ;;
                --compile)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --optimizer)
                    COMPREPLY=($(compgen -W "adamw adamw-8bit adafactor muon sgd" -- "${cur}"))
                    return 0
                    ;;
                --optimizer-in-backward)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --master-weights)
                    COMPREPLY=($(compgen -W "fp32 none" -- "${cur}"))
                    return 0
                    ;;
                --parameter-precision)
                    COMPREPLY=($(compgen -W "bf16 fp32" -- "${cur}"))
                    return 0
                    ;;
                --gradient-precision)
                    COMPREPLY=($(compgen -W "bf16 fp32" -- "${cur}"))
                    return 0
                    ;;
                --checkpointing)
                    COMPREPLY=($(compgen -W "none selective full" -- "${cur}"))
                    return 0
                    ;;
                --lora-rank)
                    COMPREPLY=()
                    return 0
                    ;;
                --lora-targets)
                    COMPREPLY=($(compgen -W "qv attention all-linear" -- "${cur}"))
                    return 0
                    ;;
                --offload)
                    COMPREPLY=($(compgen -W "none optimizer all" -- "${cur}"))
                    return 0
                    ;;
                --gradient-accumulation)
                    COMPREPLY=()
                    return 0
                    ;;
                --global-batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --virtual-pipeline)
                    COMPREPLY=()
                    return 0
                    ;;
                --packed)
                    COMPREPLY=()
                    return 0
                    ;;
                --modules-to-save)
                    COMPREPLY=()
                    return 0
                    ;;
                --rollouts)
                    COMPREPLY=()
                    return 0
                    ;;
                --off-policy-steps)
                    COMPREPLY=()
                    return 0
                    ;;
                --tensor-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --pipeline-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --data-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --context-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --expert-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --zero-stage)
                    COMPREPLY=()
                    return 0
                    ;;
                --shard-groups)
                    COMPREPLY=()
                    return 0
                    ;;
                --workload)
                    COMPREPLY=()
                    return 0
                    ;;
                --context)
                    COMPREPLY=()
                    return 0
                    ;;
                --generate)
                    COMPREPLY=()
                    return 0
                    ;;
                --engine)
                    COMPREPLY=($(compgen -W "none transformers vllm sglang llama.cpp tensorrt-llm deepspeed torchtitan torchtune litgpt ms-swift unsloth axolotl" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=()
                    return 0
                    ;;
                --precision)
                    COMPREPLY=()
                    return 0
                    ;;
                --reference-model)
                    COMPREPLY=()
                    return 0
                    ;;
                --teacher-model)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__completions)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --static --help --version bash elvish fish powershell zsh"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__config)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version show trust"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__config__subcmd__show)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__config__subcmd__trust)
            opts="-o -0 -q -v -h -V --revoke --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__convert)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --to --strict --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -W "sky-accel skypilot dstack skyward flyte modal slurm runpod vastai aws verda nvidia-smi kubernetes" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__detect)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --check --from --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --check)
                    COMPREPLY=()
                    return 0
                    ;;
                --from)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__fit)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --on-this-machine --from --nodes --live --accept-tight --price --max-age --model-size --assume --group-size --kv-precision --max-context --micro-batch --batch --images --audio-hours --steps --height --width --frames --users --request-rate --requests --max-ttft --min-speed --max-tpot --prefix-cache --images-per-request --image-tokens --speculative --length-spread --admission-interval --disaggregated --engine-version --calibrate --energy --gpu-memory-utilization --max-batched-tokens --max-num-seqs --sampling --attention --logits --gpu-layers --n-cpu-moe --host-bandwidth --compile --optimizer --optimizer-in-backward --master-weights --parameter-precision --gradient-precision --checkpointing --lora-rank --lora-targets --offload --gradient-accumulation --global-batch --virtual-pipeline --packed --modules-to-save --rollouts --off-policy-steps --tensor-parallel --pipeline-parallel --data-parallel --context-parallel --expert-parallel --zero-stage --shard-groups --workload --context --generate --engine --model --precision --reference-model --teacher-model --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --from)
                    COMPREPLY=()
                    return 0
                    ;;
                --nodes)
                    COMPREPLY=()
                    return 0
                    ;;
                --price)
                    COMPREPLY=($(compgen -W "likely stated" -- "${cur}"))
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                --model-size)
                    COMPREPLY=()
                    return 0
                    ;;
                --assume)
                    COMPREPLY=()
                    return 0
                    ;;
                --group-size)
                    COMPREPLY=()
                    return 0
                    ;;
                --kv-precision)
                    COMPREPLY=($(compgen -W "bf16 fp8 int8 q8_0 q4_0" -- "${cur}"))
                    return 0
                    ;;
                --max-context)
                    COMPREPLY=()
                    return 0
                    ;;
                --batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --micro-batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --images)
                    COMPREPLY=()
                    return 0
                    ;;
                --audio-hours)
                    COMPREPLY=()
                    return 0
                    ;;
                --steps)
                    COMPREPLY=()
                    return 0
                    ;;
                --height)
                    COMPREPLY=()
                    return 0
                    ;;
                --width)
                    COMPREPLY=()
                    return 0
                    ;;
                --frames)
                    COMPREPLY=()
                    return 0
                    ;;
                --users)
                    COMPREPLY=()
                    return 0
                    ;;
                --request-rate)
                    COMPREPLY=()
                    return 0
                    ;;
                --requests)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-ttft)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-speed)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-tpot)
                    COMPREPLY=()
                    return 0
                    ;;
                --prefix-cache)
                    COMPREPLY=()
                    return 0
                    ;;
                --images-per-request)
                    COMPREPLY=()
                    return 0
                    ;;
                --image-tokens)
                    COMPREPLY=()
                    return 0
                    ;;
                --speculative)
                    COMPREPLY=()
                    return 0
                    ;;
                --length-spread)
                    COMPREPLY=()
                    return 0
                    ;;
                --admission-interval)
                    COMPREPLY=()
                    return 0
                    ;;
                --disaggregated)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --engine-version)
                    COMPREPLY=()
                    return 0
                    ;;
                --calibrate)
                    COMPREPLY=()
                    return 0
                    ;;
                --energy)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --gpu-memory-utilization)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-batched-tokens)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-num-seqs)
                    COMPREPLY=()
                    return 0
                    ;;
                --sampling)
                    COMPREPLY=($(compgen -W "greedy top-p penalties" -- "${cur}"))
                    return 0
                    ;;
                --attention)
                    COMPREPLY=($(compgen -W "flash sdpa eager" -- "${cur}"))
                    return 0
                    ;;
                --logits)
                    COMPREPLY=($(compgen -W "last all chunked none" -- "${cur}"))
                    return 0
                    ;;
                --gpu-layers)
                    COMPREPLY=()
                    return 0
                    ;;
                --n-cpu-moe)
                    COMPREPLY=()
                    return 0
                    ;;
                --host-bandwidth)
                    COMPREPLY=()
                    return 0
                    ;;
                --compile)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --optimizer)
                    COMPREPLY=($(compgen -W "adamw adamw-8bit adafactor muon sgd" -- "${cur}"))
                    return 0
                    ;;
                --optimizer-in-backward)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --master-weights)
                    COMPREPLY=($(compgen -W "fp32 none" -- "${cur}"))
                    return 0
                    ;;
                --parameter-precision)
                    COMPREPLY=($(compgen -W "bf16 fp32" -- "${cur}"))
                    return 0
                    ;;
                --gradient-precision)
                    COMPREPLY=($(compgen -W "bf16 fp32" -- "${cur}"))
                    return 0
                    ;;
                --checkpointing)
                    COMPREPLY=($(compgen -W "none selective full" -- "${cur}"))
                    return 0
                    ;;
                --lora-rank)
                    COMPREPLY=()
                    return 0
                    ;;
                --lora-targets)
                    COMPREPLY=($(compgen -W "qv attention all-linear" -- "${cur}"))
                    return 0
                    ;;
                --offload)
                    COMPREPLY=($(compgen -W "none optimizer all" -- "${cur}"))
                    return 0
                    ;;
                --gradient-accumulation)
                    COMPREPLY=()
                    return 0
                    ;;
                --global-batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --virtual-pipeline)
                    COMPREPLY=()
                    return 0
                    ;;
                --packed)
                    COMPREPLY=()
                    return 0
                    ;;
                --modules-to-save)
                    COMPREPLY=()
                    return 0
                    ;;
                --rollouts)
                    COMPREPLY=()
                    return 0
                    ;;
                --off-policy-steps)
                    COMPREPLY=()
                    return 0
                    ;;
                --tensor-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --pipeline-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --data-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --context-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --expert-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --zero-stage)
                    COMPREPLY=()
                    return 0
                    ;;
                --shard-groups)
                    COMPREPLY=()
                    return 0
                    ;;
                --workload)
                    COMPREPLY=()
                    return 0
                    ;;
                --context)
                    COMPREPLY=()
                    return 0
                    ;;
                --generate)
                    COMPREPLY=()
                    return 0
                    ;;
                --engine)
                    COMPREPLY=($(compgen -W "none transformers vllm sglang llama.cpp tensorrt-llm deepspeed torchtitan torchtune litgpt ms-swift unsloth axolotl" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=()
                    return 0
                    ;;
                --precision)
                    COMPREPLY=()
                    return 0
                    ;;
                --reference-model)
                    COMPREPLY=()
                    return 0
                    ;;
                --teacher-model)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__help)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__is)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__list)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --vendor --class --arch --provider --min-memory --mig --sort --limit --max-age --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --vendor)
                    COMPREPLY=()
                    return 0
                    ;;
                --class)
                    COMPREPLY=()
                    return 0
                    ;;
                --arch)
                    COMPREPLY=()
                    return 0
                    ;;
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-memory)
                    COMPREPLY=()
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "name memory bandwidth tflops tdp year" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__live)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version doctor"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__live__subcmd__doctor)
            opts="-o -0 -q -v -h -V --provider --check --timeout --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --timeout)
                    COMPREPLY=()
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__man)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --out --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --out)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__mcp)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --allow --max-age --live --public --refresh --timeout --spot-scores --capacity-blocks --check-quota --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --allow)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                --timeout)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-blocks)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__mig)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version profiles fit pack"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__mig__subcmd__fit)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --occupied --to --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --occupied)
                    COMPREPLY=()
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -W "nvidia-smi nvidia-smi-undo mig-parted kubernetes gpu-operator dra flyte gke aks" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__mig__subcmd__pack)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --slice --gpus --onto --to --price --max-age --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --slice)
                    COMPREPLY=()
                    return 0
                    ;;
                --gpus)
                    COMPREPLY=()
                    return 0
                    ;;
                --onto)
                    COMPREPLY=()
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -W "nvidia-smi nvidia-smi-undo mig-parted kubernetes gpu-operator dra flyte gke aks" -- "${cur}"))
                    return 0
                    ;;
                --price)
                    COMPREPLY=($(compgen -W "likely stated" -- "${cur}"))
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__mig__subcmd__profiles)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__mix)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --profile --base-hours --spot --commit --upfront --provider --region --capacity-type --tier --max-price --max-age --price --min-vcpu --min-host-memory --interconnect --available --limit --currency --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --profile)
                    COMPREPLY=()
                    return 0
                    ;;
                --base-hours)
                    COMPREPLY=()
                    return 0
                    ;;
                --spot)
                    COMPREPLY=()
                    return 0
                    ;;
                --commit)
                    COMPREPLY=()
                    return 0
                    ;;
                --upfront)
                    COMPREPLY=($(compgen -W "none partial all" -- "${cur}"))
                    return 0
                    ;;
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --region)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-type)
                    COMPREPLY=($(compgen -W "on-demand spot any" -- "${cur}"))
                    return 0
                    ;;
                --tier)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-price)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                --price)
                    COMPREPLY=($(compgen -W "likely stated" -- "${cur}"))
                    return 0
                    ;;
                --min-vcpu)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-host-memory)
                    COMPREPLY=()
                    return 0
                    ;;
                --interconnect)
                    COMPREPLY=($(compgen -W "efa infiniband nvlink any" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=()
                    return 0
                    ;;
                --currency)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__models)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --on --users --context --generate --budget --limit --from --price --max-age --help --version add remove"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --on)
                    COMPREPLY=()
                    return 0
                    ;;
                --users)
                    COMPREPLY=()
                    return 0
                    ;;
                --context)
                    COMPREPLY=()
                    return 0
                    ;;
                --generate)
                    COMPREPLY=()
                    return 0
                    ;;
                --budget)
                    COMPREPLY=()
                    return 0
                    ;;
                --limit)
                    COMPREPLY=()
                    return 0
                    ;;
                --from)
                    COMPREPLY=()
                    return 0
                    ;;
                --price)
                    COMPREPLY=($(compgen -W "likely stated" -- "${cur}"))
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__models__subcmd__add)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --as --assume --live --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --as)
                    COMPREPLY=()
                    return 0
                    ;;
                --assume)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__models__subcmd__remove)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__plan)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --provider --region --capacity-type --tier --max-price --max-age --price --min-vcpu --min-host-memory --interconnect --available --limit --currency --spot-first --distinct --objective --exact --nodes --hours --month --year --commit --upfront --budget --cuda --disk --bill --sessions --hours-per-session --storage --egress --ingress --idle --start --bandwidth --ipv4 --name --image --run --reservation --capacity-block --slurm-map --to --out --strict --lock --locked --live --public --refresh --timeout --spot-scores --capacity-blocks --check-quota --help --version diff"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --region)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-type)
                    COMPREPLY=($(compgen -W "on-demand spot any" -- "${cur}"))
                    return 0
                    ;;
                --tier)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-price)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                --price)
                    COMPREPLY=($(compgen -W "likely stated" -- "${cur}"))
                    return 0
                    ;;
                --min-vcpu)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-host-memory)
                    COMPREPLY=()
                    return 0
                    ;;
                --interconnect)
                    COMPREPLY=($(compgen -W "efa infiniband nvlink any" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=()
                    return 0
                    ;;
                --currency)
                    COMPREPLY=()
                    return 0
                    ;;
                --distinct)
                    COMPREPLY=($(compgen -W "regions" -- "${cur}"))
                    return 0
                    ;;
                --objective)
                    COMPREPLY=($(compgen -W "price obtainability" -- "${cur}"))
                    return 0
                    ;;
                --nodes)
                    COMPREPLY=()
                    return 0
                    ;;
                --hours)
                    COMPREPLY=()
                    return 0
                    ;;
                --commit)
                    COMPREPLY=()
                    return 0
                    ;;
                --upfront)
                    COMPREPLY=($(compgen -W "none partial all" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=()
                    return 0
                    ;;
                --cuda)
                    COMPREPLY=()
                    return 0
                    ;;
                --disk)
                    COMPREPLY=()
                    return 0
                    ;;
                --sessions)
                    COMPREPLY=()
                    return 0
                    ;;
                --hours-per-session)
                    COMPREPLY=()
                    return 0
                    ;;
                --storage)
                    COMPREPLY=()
                    return 0
                    ;;
                --egress)
                    COMPREPLY=()
                    return 0
                    ;;
                --ingress)
                    COMPREPLY=()
                    return 0
                    ;;
                --idle)
                    COMPREPLY=()
                    return 0
                    ;;
                --start)
                    COMPREPLY=()
                    return 0
                    ;;
                --bandwidth)
                    COMPREPLY=()
                    return 0
                    ;;
                --ipv4)
                    COMPREPLY=()
                    return 0
                    ;;
                --name)
                    COMPREPLY=()
                    return 0
                    ;;
                --image)
                    COMPREPLY=()
                    return 0
                    ;;
                --run)
                    COMPREPLY=()
                    return 0
                    ;;
                --reservation)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-block)
                    COMPREPLY=()
                    return 0
                    ;;
                --slurm-map)
                    COMPREPLY=()
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -W "skypilot dstack kubernetes dra gke aks karpenter terraform cloudformation ec2-fleet aws-cli runpod vastai verda flyte slurm ray compose docker nvidia-smi mig-parted modal skyward" -- "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=()
                    return 0
                    ;;
                --lock)
                    COMPREPLY=()
                    return 0
                    ;;
                --timeout)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-blocks)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__plan__subcmd__diff)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__prices)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --history --provider --capacity-type --max-age --currency --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-type)
                    COMPREPLY=($(compgen -W "on-demand spot any" -- "${cur}"))
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                --currency)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__quota)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --nodes --provider --region --capacity-type --timeout --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --nodes)
                    COMPREPLY=()
                    return 0
                    ;;
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --region)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-type)
                    COMPREPLY=($(compgen -W "on-demand spot any" -- "${cur}"))
                    return 0
                    ;;
                --timeout)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__recommend)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --model-size --assume --group-size --kv-precision --max-context --micro-batch --batch --images --audio-hours --steps --height --width --frames --users --request-rate --requests --max-ttft --min-speed --max-tpot --prefix-cache --images-per-request --image-tokens --speculative --length-spread --admission-interval --disaggregated --engine-version --calibrate --energy --gpu-memory-utilization --max-batched-tokens --max-num-seqs --sampling --attention --logits --gpu-layers --n-cpu-moe --host-bandwidth --compile --optimizer --optimizer-in-backward --master-weights --parameter-precision --gradient-precision --checkpointing --lora-rank --lora-targets --offload --gradient-accumulation --global-batch --virtual-pipeline --packed --modules-to-save --rollouts --off-policy-steps --tensor-parallel --pipeline-parallel --data-parallel --context-parallel --expert-parallel --zero-stage --shard-groups --workload --context --generate --engine --model --precision --reference-model --teacher-model --on --nodes --objective --tokens --deadline --budget --live --hours --month --year --provider --region --capacity-type --tier --max-price --max-age --price --min-vcpu --min-host-memory --interconnect --available --limit --currency --commit --upfront --guide --chart --accept-tight --compare --own --bill --sessions --hours-per-session --storage --egress --ingress --idle --start --bandwidth --ipv4 --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --model-size)
                    COMPREPLY=()
                    return 0
                    ;;
                --assume)
                    COMPREPLY=()
                    return 0
                    ;;
                --group-size)
                    COMPREPLY=()
                    return 0
                    ;;
                --kv-precision)
                    COMPREPLY=($(compgen -W "bf16 fp8 int8 q8_0 q4_0" -- "${cur}"))
                    return 0
                    ;;
                --max-context)
                    COMPREPLY=()
                    return 0
                    ;;
                --batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --micro-batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --images)
                    COMPREPLY=()
                    return 0
                    ;;
                --audio-hours)
                    COMPREPLY=()
                    return 0
                    ;;
                --steps)
                    COMPREPLY=()
                    return 0
                    ;;
                --height)
                    COMPREPLY=()
                    return 0
                    ;;
                --width)
                    COMPREPLY=()
                    return 0
                    ;;
                --frames)
                    COMPREPLY=()
                    return 0
                    ;;
                --users)
                    COMPREPLY=()
                    return 0
                    ;;
                --request-rate)
                    COMPREPLY=()
                    return 0
                    ;;
                --requests)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-ttft)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-speed)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-tpot)
                    COMPREPLY=()
                    return 0
                    ;;
                --prefix-cache)
                    COMPREPLY=()
                    return 0
                    ;;
                --images-per-request)
                    COMPREPLY=()
                    return 0
                    ;;
                --image-tokens)
                    COMPREPLY=()
                    return 0
                    ;;
                --speculative)
                    COMPREPLY=()
                    return 0
                    ;;
                --length-spread)
                    COMPREPLY=()
                    return 0
                    ;;
                --admission-interval)
                    COMPREPLY=()
                    return 0
                    ;;
                --disaggregated)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --engine-version)
                    COMPREPLY=()
                    return 0
                    ;;
                --calibrate)
                    COMPREPLY=()
                    return 0
                    ;;
                --energy)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --gpu-memory-utilization)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-batched-tokens)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-num-seqs)
                    COMPREPLY=()
                    return 0
                    ;;
                --sampling)
                    COMPREPLY=($(compgen -W "greedy top-p penalties" -- "${cur}"))
                    return 0
                    ;;
                --attention)
                    COMPREPLY=($(compgen -W "flash sdpa eager" -- "${cur}"))
                    return 0
                    ;;
                --logits)
                    COMPREPLY=($(compgen -W "last all chunked none" -- "${cur}"))
                    return 0
                    ;;
                --gpu-layers)
                    COMPREPLY=()
                    return 0
                    ;;
                --n-cpu-moe)
                    COMPREPLY=()
                    return 0
                    ;;
                --host-bandwidth)
                    COMPREPLY=()
                    return 0
                    ;;
                --compile)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --optimizer)
                    COMPREPLY=($(compgen -W "adamw adamw-8bit adafactor muon sgd" -- "${cur}"))
                    return 0
                    ;;
                --optimizer-in-backward)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --master-weights)
                    COMPREPLY=($(compgen -W "fp32 none" -- "${cur}"))
                    return 0
                    ;;
                --parameter-precision)
                    COMPREPLY=($(compgen -W "bf16 fp32" -- "${cur}"))
                    return 0
                    ;;
                --gradient-precision)
                    COMPREPLY=($(compgen -W "bf16 fp32" -- "${cur}"))
                    return 0
                    ;;
                --checkpointing)
                    COMPREPLY=($(compgen -W "none selective full" -- "${cur}"))
                    return 0
                    ;;
                --lora-rank)
                    COMPREPLY=()
                    return 0
                    ;;
                --lora-targets)
                    COMPREPLY=($(compgen -W "qv attention all-linear" -- "${cur}"))
                    return 0
                    ;;
                --offload)
                    COMPREPLY=($(compgen -W "none optimizer all" -- "${cur}"))
                    return 0
                    ;;
                --gradient-accumulation)
                    COMPREPLY=()
                    return 0
                    ;;
                --global-batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --virtual-pipeline)
                    COMPREPLY=()
                    return 0
                    ;;
                --packed)
                    COMPREPLY=()
                    return 0
                    ;;
                --modules-to-save)
                    COMPREPLY=()
                    return 0
                    ;;
                --rollouts)
                    COMPREPLY=()
                    return 0
                    ;;
                --off-policy-steps)
                    COMPREPLY=()
                    return 0
                    ;;
                --tensor-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --pipeline-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --data-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --context-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --expert-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --zero-stage)
                    COMPREPLY=()
                    return 0
                    ;;
                --shard-groups)
                    COMPREPLY=()
                    return 0
                    ;;
                --workload)
                    COMPREPLY=()
                    return 0
                    ;;
                --context)
                    COMPREPLY=()
                    return 0
                    ;;
                --generate)
                    COMPREPLY=()
                    return 0
                    ;;
                --engine)
                    COMPREPLY=($(compgen -W "none transformers vllm sglang llama.cpp tensorrt-llm deepspeed torchtitan torchtune litgpt ms-swift unsloth axolotl" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=()
                    return 0
                    ;;
                --precision)
                    COMPREPLY=()
                    return 0
                    ;;
                --reference-model)
                    COMPREPLY=()
                    return 0
                    ;;
                --teacher-model)
                    COMPREPLY=()
                    return 0
                    ;;
                --on)
                    COMPREPLY=()
                    return 0
                    ;;
                --nodes)
                    COMPREPLY=()
                    return 0
                    ;;
                --objective)
                    COMPREPLY=($(compgen -W "cost speed latency memory" -- "${cur}"))
                    return 0
                    ;;
                --tokens)
                    COMPREPLY=()
                    return 0
                    ;;
                --deadline)
                    COMPREPLY=()
                    return 0
                    ;;
                --budget)
                    COMPREPLY=()
                    return 0
                    ;;
                --hours)
                    COMPREPLY=()
                    return 0
                    ;;
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --region)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-type)
                    COMPREPLY=($(compgen -W "on-demand spot any" -- "${cur}"))
                    return 0
                    ;;
                --tier)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-price)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                --price)
                    COMPREPLY=($(compgen -W "likely stated" -- "${cur}"))
                    return 0
                    ;;
                --min-vcpu)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-host-memory)
                    COMPREPLY=()
                    return 0
                    ;;
                --interconnect)
                    COMPREPLY=($(compgen -W "efa infiniband nvlink any" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=()
                    return 0
                    ;;
                --currency)
                    COMPREPLY=()
                    return 0
                    ;;
                --commit)
                    COMPREPLY=()
                    return 0
                    ;;
                --upfront)
                    COMPREPLY=($(compgen -W "none partial all" -- "${cur}"))
                    return 0
                    ;;
                --compare)
                    COMPREPLY=($(compgen -W "api" -- "${cur}"))
                    return 0
                    ;;
                --own)
                    COMPREPLY=()
                    return 0
                    ;;
                --sessions)
                    COMPREPLY=()
                    return 0
                    ;;
                --hours-per-session)
                    COMPREPLY=()
                    return 0
                    ;;
                --storage)
                    COMPREPLY=()
                    return 0
                    ;;
                --egress)
                    COMPREPLY=()
                    return 0
                    ;;
                --ingress)
                    COMPREPLY=()
                    return 0
                    ;;
                --idle)
                    COMPREPLY=()
                    return 0
                    ;;
                --start)
                    COMPREPLY=()
                    return 0
                    ;;
                --bandwidth)
                    COMPREPLY=()
                    return 0
                    ;;
                --ipv4)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__report)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --from --model-size --assume --group-size --kv-precision --max-context --micro-batch --batch --images --audio-hours --steps --height --width --frames --users --request-rate --requests --max-ttft --min-speed --max-tpot --prefix-cache --images-per-request --image-tokens --speculative --length-spread --admission-interval --disaggregated --engine-version --calibrate --energy --gpu-memory-utilization --max-batched-tokens --max-num-seqs --sampling --attention --logits --gpu-layers --n-cpu-moe --host-bandwidth --compile --optimizer --optimizer-in-backward --master-weights --parameter-precision --gradient-precision --checkpointing --lora-rank --lora-targets --offload --gradient-accumulation --global-batch --virtual-pipeline --packed --modules-to-save --rollouts --off-policy-steps --tensor-parallel --pipeline-parallel --data-parallel --context-parallel --expert-parallel --zero-stage --shard-groups --workload --context --generate --engine --model --precision --reference-model --teacher-model --on --nodes --objective --tokens --deadline --budget --live --hours --month --year --provider --region --capacity-type --tier --max-price --max-age --price --min-vcpu --min-host-memory --interconnect --available --limit --currency --upfront --commit --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --from)
                    COMPREPLY=()
                    return 0
                    ;;
                --model-size)
                    COMPREPLY=()
                    return 0
                    ;;
                --assume)
                    COMPREPLY=()
                    return 0
                    ;;
                --group-size)
                    COMPREPLY=()
                    return 0
                    ;;
                --kv-precision)
                    COMPREPLY=($(compgen -W "bf16 fp8 int8 q8_0 q4_0" -- "${cur}"))
                    return 0
                    ;;
                --max-context)
                    COMPREPLY=()
                    return 0
                    ;;
                --batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --micro-batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --images)
                    COMPREPLY=()
                    return 0
                    ;;
                --audio-hours)
                    COMPREPLY=()
                    return 0
                    ;;
                --steps)
                    COMPREPLY=()
                    return 0
                    ;;
                --height)
                    COMPREPLY=()
                    return 0
                    ;;
                --width)
                    COMPREPLY=()
                    return 0
                    ;;
                --frames)
                    COMPREPLY=()
                    return 0
                    ;;
                --users)
                    COMPREPLY=()
                    return 0
                    ;;
                --request-rate)
                    COMPREPLY=()
                    return 0
                    ;;
                --requests)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-ttft)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-speed)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-tpot)
                    COMPREPLY=()
                    return 0
                    ;;
                --prefix-cache)
                    COMPREPLY=()
                    return 0
                    ;;
                --images-per-request)
                    COMPREPLY=()
                    return 0
                    ;;
                --image-tokens)
                    COMPREPLY=()
                    return 0
                    ;;
                --speculative)
                    COMPREPLY=()
                    return 0
                    ;;
                --length-spread)
                    COMPREPLY=()
                    return 0
                    ;;
                --admission-interval)
                    COMPREPLY=()
                    return 0
                    ;;
                --disaggregated)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --engine-version)
                    COMPREPLY=()
                    return 0
                    ;;
                --calibrate)
                    COMPREPLY=()
                    return 0
                    ;;
                --energy)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --gpu-memory-utilization)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-batched-tokens)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-num-seqs)
                    COMPREPLY=()
                    return 0
                    ;;
                --sampling)
                    COMPREPLY=($(compgen -W "greedy top-p penalties" -- "${cur}"))
                    return 0
                    ;;
                --attention)
                    COMPREPLY=($(compgen -W "flash sdpa eager" -- "${cur}"))
                    return 0
                    ;;
                --logits)
                    COMPREPLY=($(compgen -W "last all chunked none" -- "${cur}"))
                    return 0
                    ;;
                --gpu-layers)
                    COMPREPLY=()
                    return 0
                    ;;
                --n-cpu-moe)
                    COMPREPLY=()
                    return 0
                    ;;
                --host-bandwidth)
                    COMPREPLY=()
                    return 0
                    ;;
                --compile)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --optimizer)
                    COMPREPLY=($(compgen -W "adamw adamw-8bit adafactor muon sgd" -- "${cur}"))
                    return 0
                    ;;
                --optimizer-in-backward)
                    COMPREPLY=($(compgen -W "true false" -- "${cur}"))
                    return 0
                    ;;
                --master-weights)
                    COMPREPLY=($(compgen -W "fp32 none" -- "${cur}"))
                    return 0
                    ;;
                --parameter-precision)
                    COMPREPLY=($(compgen -W "bf16 fp32" -- "${cur}"))
                    return 0
                    ;;
                --gradient-precision)
                    COMPREPLY=($(compgen -W "bf16 fp32" -- "${cur}"))
                    return 0
                    ;;
                --checkpointing)
                    COMPREPLY=($(compgen -W "none selective full" -- "${cur}"))
                    return 0
                    ;;
                --lora-rank)
                    COMPREPLY=()
                    return 0
                    ;;
                --lora-targets)
                    COMPREPLY=($(compgen -W "qv attention all-linear" -- "${cur}"))
                    return 0
                    ;;
                --offload)
                    COMPREPLY=($(compgen -W "none optimizer all" -- "${cur}"))
                    return 0
                    ;;
                --gradient-accumulation)
                    COMPREPLY=()
                    return 0
                    ;;
                --global-batch)
                    COMPREPLY=()
                    return 0
                    ;;
                --virtual-pipeline)
                    COMPREPLY=()
                    return 0
                    ;;
                --packed)
                    COMPREPLY=()
                    return 0
                    ;;
                --modules-to-save)
                    COMPREPLY=()
                    return 0
                    ;;
                --rollouts)
                    COMPREPLY=()
                    return 0
                    ;;
                --off-policy-steps)
                    COMPREPLY=()
                    return 0
                    ;;
                --tensor-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --pipeline-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --data-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --context-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --expert-parallel)
                    COMPREPLY=()
                    return 0
                    ;;
                --zero-stage)
                    COMPREPLY=()
                    return 0
                    ;;
                --shard-groups)
                    COMPREPLY=()
                    return 0
                    ;;
                --workload)
                    COMPREPLY=()
                    return 0
                    ;;
                --context)
                    COMPREPLY=()
                    return 0
                    ;;
                --generate)
                    COMPREPLY=()
                    return 0
                    ;;
                --engine)
                    COMPREPLY=($(compgen -W "none transformers vllm sglang llama.cpp tensorrt-llm deepspeed torchtitan torchtune litgpt ms-swift unsloth axolotl" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=()
                    return 0
                    ;;
                --precision)
                    COMPREPLY=()
                    return 0
                    ;;
                --reference-model)
                    COMPREPLY=()
                    return 0
                    ;;
                --teacher-model)
                    COMPREPLY=()
                    return 0
                    ;;
                --on)
                    COMPREPLY=()
                    return 0
                    ;;
                --nodes)
                    COMPREPLY=()
                    return 0
                    ;;
                --objective)
                    COMPREPLY=($(compgen -W "cost speed latency memory" -- "${cur}"))
                    return 0
                    ;;
                --tokens)
                    COMPREPLY=()
                    return 0
                    ;;
                --deadline)
                    COMPREPLY=()
                    return 0
                    ;;
                --budget)
                    COMPREPLY=()
                    return 0
                    ;;
                --hours)
                    COMPREPLY=()
                    return 0
                    ;;
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --region)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-type)
                    COMPREPLY=($(compgen -W "on-demand spot any" -- "${cur}"))
                    return 0
                    ;;
                --tier)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-price)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                --price)
                    COMPREPLY=($(compgen -W "likely stated" -- "${cur}"))
                    return 0
                    ;;
                --min-vcpu)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-host-memory)
                    COMPREPLY=()
                    return 0
                    ;;
                --interconnect)
                    COMPREPLY=($(compgen -W "efa infiniband nvlink any" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=()
                    return 0
                    ;;
                --currency)
                    COMPREPLY=()
                    return 0
                    ;;
                --upfront)
                    COMPREPLY=($(compgen -W "none partial all" -- "${cur}"))
                    return 0
                    ;;
                --commit)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__resolve)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --provider --region --capacity-type --tier --max-price --max-age --price --min-vcpu --min-host-memory --interconnect --available --limit --currency --hours --month --year --commit --upfront --at-least --sort --map --group-by --all --live --public --refresh --timeout --spot-scores --capacity-blocks --check-quota --nodes --disk --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --region)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-type)
                    COMPREPLY=($(compgen -W "on-demand spot any" -- "${cur}"))
                    return 0
                    ;;
                --tier)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-price)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                --price)
                    COMPREPLY=($(compgen -W "likely stated" -- "${cur}"))
                    return 0
                    ;;
                --min-vcpu)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-host-memory)
                    COMPREPLY=()
                    return 0
                    ;;
                --interconnect)
                    COMPREPLY=($(compgen -W "efa infiniband nvlink any" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=()
                    return 0
                    ;;
                --currency)
                    COMPREPLY=()
                    return 0
                    ;;
                --hours)
                    COMPREPLY=()
                    return 0
                    ;;
                --commit)
                    COMPREPLY=()
                    return 0
                    ;;
                --upfront)
                    COMPREPLY=($(compgen -W "none partial all" -- "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "price price-per-gpu price-per-gb price-per-tflop obtainability" -- "${cur}"))
                    return 0
                    ;;
                --group-by)
                    COMPREPLY=($(compgen -W "accelerator provider region count" -- "${cur}"))
                    return 0
                    ;;
                --timeout)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-blocks)
                    COMPREPLY=()
                    return 0
                    ;;
                --nodes)
                    COMPREPLY=()
                    return 0
                    ;;
                --disk)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__show)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --max-age --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__watch)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --provider --region --capacity-type --tier --max-price --max-age --price --min-vcpu --min-host-memory --interconnect --available --limit --currency --at-least --nodes --min-score --check-quota --interval --timeout --give-up --public --exec --exec-keys --disk --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --provider)
                    COMPREPLY=()
                    return 0
                    ;;
                --region)
                    COMPREPLY=()
                    return 0
                    ;;
                --capacity-type)
                    COMPREPLY=($(compgen -W "on-demand spot any" -- "${cur}"))
                    return 0
                    ;;
                --tier)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-price)
                    COMPREPLY=()
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=()
                    return 0
                    ;;
                --price)
                    COMPREPLY=($(compgen -W "likely stated" -- "${cur}"))
                    return 0
                    ;;
                --min-vcpu)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-host-memory)
                    COMPREPLY=()
                    return 0
                    ;;
                --interconnect)
                    COMPREPLY=($(compgen -W "efa infiniband nvlink any" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=()
                    return 0
                    ;;
                --currency)
                    COMPREPLY=()
                    return 0
                    ;;
                --nodes)
                    COMPREPLY=()
                    return 0
                    ;;
                --min-score)
                    COMPREPLY=()
                    return 0
                    ;;
                --interval)
                    COMPREPLY=()
                    return 0
                    ;;
                --timeout)
                    COMPREPLY=()
                    return 0
                    ;;
                --give-up)
                    COMPREPLY=()
                    return 0
                    ;;
                --exec)
                    COMPREPLY=()
                    return 0
                    ;;
                --disk)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        sky__subcmd__accel__subcmd__web)
            opts="-o -0 -q -v -h -V --output --null --color --quiet --verbose --explain --catalog --config --no-config --offline --insecure --out --open --module --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json jsonl csv names yaml html" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --catalog)
                    COMPREPLY=()
                    return 0
                    ;;
                --config)
                    COMPREPLY=()
                    return 0
                    ;;
                --out)
                    COMPREPLY=()
                    return 0
                    ;;
                --module)
                    COMPREPLY=()
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

_sky__accel_files() {
    local line=${COMP_LINE:0:COMP_POINT} path kept file
    if [[ $line == *[\'\"\\\$\`]* ]]; then
        return
    fi
    path=${line##*[[:space:]]}
    # Bash keeps the text up to the last word break.
    kept=${path%"${path##*["$COMP_WORDBREAKS"]}"}
    if [[ $path == --*=* ]]; then
        path=${path#*=} kept=${kept#*=}
    fi
    path=${path/#\~\//$HOME/}
    while IFS= read -r file; do
        if [[ ! -e $file || $file == *[[:cntrl:]]* ]]; then
            continue
        fi
        [[ -d $file ]] && file+=/
        [[ $file == [-~]* ]] && file=./$file
        printf -v file %q "${file#"$kept"}"
        COMPREPLY+=("$file")
    done < <(compgen -f -- "$path")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then
        compopt -o nospace 2> /dev/null
    fi
}

_sky__accel_or_files() {
    _sky__accel "$@"
    if [[ ${#COMPREPLY[@]} -eq 0 ]]; then
        _sky__accel_files
    fi
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _sky__accel_or_files -o nosort sky-accel
else
    complete -F _sky__accel_or_files sky-accel
fi
