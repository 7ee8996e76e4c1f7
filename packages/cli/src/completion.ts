import type { Command } from 'commander'

/** A place in the tree of commands, by the words that lead there, and what can be typed next. */
type Place = { readonly path: string; readonly words: readonly Word[]; readonly values: readonly Value[] }

/** An option that takes a value: the words that it accepts, or none where it accepts any. */
type Value = { readonly option: string; readonly choices: readonly string[] }

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
    ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((text) => ({ text, description })),
    ),
    ...visible
      .visibleOptions(command)
      .map(({ long, short, description }) => ({ text: long ?? short ?? '', description })),
  ]
  const values = command.options
    .filter(({ required }) => required)
    .map(({ long, argChoices = [] }) => ({ option: long ?? '', choices: argChoices }))
  return [{ path, words, values }, ...command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`))]
}

/** The paths that go on from a place, as the patterns of a `case`. */
const paths = (places: readonly Place[]): string =>
  places
    .filter(({ path }) => path !== '')
    .map(({ path }) => `'${path}'`)
    .join('|')

/** The words after each option that takes a value, as lines of a `case` over the place and the word before. */
const afterOptions = (places: readonly Place[], lineOf: (at: string, choices: string) => string): string =>
  places
    .flatMap(({ path, values }) =>
      values.map(({ option, choices }) => lineOf(`'${path} ${option}'`, choices.join(' '))),
    )
    .join('\n')

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
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${afterOptions(places, (at, choices) => `    ${at}) words='${choices}' ;;`)}
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
  case "$at \${words[CURRENT-1]}" in
${afterOptions(places, (at, choices) => `    (${at}) candidates=(${choices}) ;;`)}
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
${places.flatMap((place) => fishLines(name, place)).join('\n')}
`

function fishLines(name: string, { path, words, values }: Place): string[] {
  const begin = `complete -c ${name} -n "__${name}_at '${path}'"`
  // Files are offered behind a command only, not where the name of one is typed.
  const isFolder = words.some(({ text }) => text === 'help')
  const lines = words.map(({ text, description }) => {
    const value = values.find(({ option }) => option === text)
    const accepted = value === undefined ? '' : value.choices.length > 0 ? ` -xa '${value.choices.join(' ')}'` : ' -r'
    const what = text.startsWith('--') ? `-l ${text.slice(2)}${accepted}` : `-a ${text}`
    return `${begin} ${what} -d ${fishText(firstLine(description))}`
  })
  return isFolder ? [`${begin} -f`, ...lines] : lines
}
