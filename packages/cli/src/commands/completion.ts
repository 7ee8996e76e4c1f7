import { Argument, Command } from 'commander'
import { completionScript, shells, type Shell } from '../completion.ts'
import { examples } from '../help.ts'
import { print } from '../output.ts'

export const completionCommand = (): Command =>
  new Command('completion')
    .description('Print the shell script that completes commands and options.')
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .addHelpText(
      'after',
      examples(
        ['eval "$(kontor completion bash)"', 'in ~/.bashrc; with zsh in ~/.zshrc'],
        ['kontor completion fish | source', 'in ~/.config/fish/config.fish'],
      ),
    )
    .action((shell: Shell, _options: unknown, command: Command) => {
      if (command.parent !== null) print(completionScript(shell, command.parent))
    })
