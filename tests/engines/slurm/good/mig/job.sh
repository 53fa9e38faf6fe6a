#!/bin/sh
#SBATCH --gres=gpu:nvidia_h100_80gb_hbm3_3g.40gb:2
nvidia-smi
