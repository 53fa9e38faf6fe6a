#!/bin/sh
#SBATCH --gres=gpus:8
nvidia-smi
