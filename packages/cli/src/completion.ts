import type { Command } from 'commander'

/** A place in the tree of commands, by the words that lead there, and what can be typed next. */
type Place = { readonly path: string; readonly words: readonly Word[] }

type Word = { readonly text: string; readonly description: string }

export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

/** Returns the script that lets a shell complete commands and options. It knows the commands of this version. */
export function completionScript(shell: Shell, program: Command): string {
  const places = placesOf(program, '')
  return { bash, zsh, fish }[shell](program.name(), places)
}

function placesOf(command: Command, path: string): Place[] {
  const visible = command.createHelp()
  const words = [
    ...visible
      .visibleCommands(command)
      .map((one) => ({ text: one.name(), description: one.summary() || one.description() })),
    ...visible
      .visibleOptions(command)
      .map(({ long, short, description }) => ({ text: long ?? short ?? '', description })),
  ]
  return [{ path, words }, ...command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`))]
}

/** The paths that go on from a place, as the patterns of a `case`. */
const paths = (places: readonly Place[]): string =>
  places
    .filter(({ path }) => path !== '')
    .map(({ path }) => `'${path}'`)
    .join('|')

const firstLine = (text: string): string => text.split(/[.;]\s|\n/)[0] ?? ''

const bash = (name: string, places: readonly Place[]): string => `# eval "$(${name} completion bash)"
_${name}() {
  local at='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in ${paths(places)}) at="$at $word" ;; esac
  done
  case "$at" in
${places.map(({ path, words }) => `    '${path}') words='${words.map(({ text }) => text).join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${name} ${name}
`

const zshWord = ({ text, description }: Word): string =>
  `'${text}:${firstLine(description).replaceAll(/['\\:]/g, ' ')}'`

const zsh = (name: string, places: readonly Place[]): string => `#compdef ${name}
# eval "$(${name} completion zsh)"
_${name}() {
  local at='' word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in (${paths(places)}) at="$at $word" ;; esac
  done
  case "$at" in
${places.map(({ path, words }) => `    ('${path}') candidates=(${words.map(zshWord).join(' ')}) ;;`).join('\n')}
  esac
  _describe '${name}' candidates || _files
}
compdef _${name} ${name}
`

const fishText = (text: string): string => `'${text.replaceAll(/['\\]/g, ' ')}'`

const fish = (name: string, places: readonly Place[]): string => `# ${name} completion fish | source
function __${name}_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${paths(places).replaceAll('|', ' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${places
  .flatMap(({ path, words }) =>
    words.map(({ text, description }) => {
      const what = text.startsWith('--') ? `-l ${text.slice(2)}` : `-a ${text}`
      return `complete -c ${name} -n "__${name}_at '${path}'" ${what} -d ${fishText(firstLine(description))}`
    }),
  )
  .join('\n')}
`
