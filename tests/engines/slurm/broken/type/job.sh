#!/bin/sh
#SBATCH --gres=gpu:H100:8
nvidia-smi
