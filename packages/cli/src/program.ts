import { Command, CommanderError, type Option } from 'commander'
import { version } from '@kontor/contract'
import { examples } from './help.ts'
import { exitCodeOf, explain } from './errors.ts'
import { say } from './output.ts'

/** A form in which `kontor` is installed: its commands, and what is below its help. */
export type Edition = {
  readonly commands: readonly (() => Command)[]
  readonly note: string
  readonly examples: readonly (readonly [command: string, meaning: string])[]
}

/** The command `kontor` with all its commands. */
function createProgram(edition: Edition): Command {
  const program = new Command('kontor')
    .description('Kontor, an open CRM backend: run the server, administer it, and work with records.')
    .version(version, '--version', 'show the version')
    .helpCommand('help [command]', 'show the help of a command')
    .showHelpAfterError('(see --help)')
    .addHelpText('after', `\n${edition.note}\n`)
    .addHelpText('after', examples(...edition.examples))
  // Both are inherited by the commands only when they stand before them.
  program.exitOverride().configureHelp({ showGlobalOptions: false })
  for (const create of edition.commands) program.addCommand(inherit(create(), program))
  return program
}

/** `addCommand` does not hand settings down as `command()` does. */
function inherit(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent)
  for (const inner of command.commands) inherit(inner, command)
  return command
}

const helpWords: ReadonlySet<string> = new Set(['help', '--help', '-h'])

/**
 * Commander shows its own help for a command that does not exist, as if that had been asked for. Without the wish for
 * help it says that there is no such command.
 */
function withoutHelpOfNothing(program: Command, given: readonly string[]): readonly string[] {
  // Commander's own `help` knows the first word only.
  const words = given[0] === 'help' && given.length > 1 ? [...given.slice(1), '--help'] : given
  const path: string[] = []
  let command = program
  for (const word of words) {
    if (helpWords.has(word)) continue
    if (word.startsWith('-') || command.commands.length === 0) return words
    path.push(word)
    const next = command.commands.find((one) => one.name() === word)
    if (next === undefined) return path
    command = next
  }
  return words
}

/**
 * Makes a program find what is wrong with a command line, and do nothing: Commander reports a missing option before an
 * unknown one, which is most likely its misspelling, and only the first, without its meaning.
 */
function onlyParsing(program: Command): Command {
  for (const command of program.commands) {
    const required = command.options.filter(({ mandatory }) => mandatory)
    for (const option of required) option.mandatory = false
    if (command.commands.length === 0) command.action(() => failForMissing(command, required))
    onlyParsing(command)
  }
  return program
}

/** Fails with a line for each required option without a value: its flags, and its description with the choices. */
function failForMissing(command: Command, required: readonly Option[]): void {
  const missing = required.filter((option) => command.getOptionValue(option.attributeName()) === undefined)
  if (missing.length === 0) return
  const help = command.createHelp()
  const lines = missing.map((option) => `required option '${option.flags}': ${help.optionDescription(option)}`)
  command.error(`error: ${lines.join('\nerror: ')}`, { code: 'commander.missingMandatoryOptionValue' })
}

/** Runs one command line; the exit code: 0, 1 for a failure, 2 for a wrong command line, 130 when interrupted. */
export async function run(argv: readonly string[], edition: Edition): Promise<number> {
  try {
    const program = createProgram(edition)
    const line = [...argv.slice(0, 2), ...withoutHelpOfNothing(program, argv.slice(2))]
    await onlyParsing(createProgram(edition)).parseAsync(line)
    await program.parseAsync(line)
    return 0
  } catch (error) {
    // Commander has said what is wrong.
    if (!(error instanceof CommanderError)) say(explain(error))
    // For `schema`, 2 says that something differs.
    const code = exitCodeOf(error)
    return code === 2 && argv[2] === 'schema' && error instanceof CommanderError ? 1 : code
  }
}
