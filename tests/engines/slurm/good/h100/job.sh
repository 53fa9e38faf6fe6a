#!/bin/bash
#SBATCH --job-name="train run"
#SBATCH --nodes=2
#SBATCH --gpus-per-node=h100:8
#SBATCH --time=1-00:00:00
#SBATCH --export=ALL,A=1,B="x y"
#SBATCH --comment="it's ${HOME} #5 é"
echo 'it'"'"'s "$HOME" ${A} é' # done
srun nvidia-smi
