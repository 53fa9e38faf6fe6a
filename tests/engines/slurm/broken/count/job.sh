#!/bin/sh
#SBATCH --gres=gpu:h100:9
nvidia-smi
