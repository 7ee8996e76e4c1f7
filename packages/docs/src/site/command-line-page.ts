import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableOf } from './tables.ts'

/** A command with its own help; `packages/cli/src/program.test.ts` writes the file. */
type CommandHelp = { readonly command: string; readonly summary: string; readonly help: string }

const commands: readonly CommandHelp[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../commands.json'), 'utf8'),
) as readonly CommandHelp[]

const anchorOf = (command: string): string => command.replaceAll(' ', '-')

const sentence = (text: string): string => (/[.:!?]$/.test(text) ? text : `${text}.`)

const chapterOf = ({ command, summary, help }: CommandHelp): string =>
  `## ${command}\n\n${sentence(summary)}\n\n\`\`\`\n${help}\n\`\`\``

/** The commands of those who run a server; the others work over the API. */
const ofServers = /^kontor (?:serve|worker|migrate|workspace|user|token|key|oauth-client|signing-key|jobs|doctor)\b/

const tableFor = (some: readonly CommandHelp[]): string =>
  tableOf(
    ['Command', 'Use'],
    some.map(({ command, summary }) => [`[${command}](#${anchorOf(command)})`, sentence(summary)]),
  )

const [serverCommands, otherCommands] = [
  commands.filter(({ command }) => ofServers.test(command)),
  commands.filter(({ command }) => !ofServers.test(command)),
]

/** The page *The command line*: each command that works over the API, with the output of its `--help`. */
export const commandLinePage = `# The command line

\`kontor\` serves the API, administers workspaces, users and keys, and reads and writes records (CLI). In a clone of the
repository, write \`npm run -s kontor --\` for \`kontor\`. A command exits with 0 on success, 1 on failure, 2 on a wrong
command line and 130 when interrupted; \`kontor schema plan\` exits with 2 where something differs.

Below is the output of \`--help\` of each command that signs in and works over the API. The commands for operators are
in [server commands](/docs/guides/server-commands).

${tableFor(otherCommands)}

${otherCommands.map(chapterOf).join('\n\n')}`

/** The page *Server commands*: the same for the commands that open the database or serve. */
export const serverCommandsPage = `# Server commands

These commands run on the machine of the server: they serve the API, or open the database itself, beside a running
server or without one. Below is the output of \`--help\` of each. For importing and for records, see
[the command line](/docs/guides/command-line).

${tableFor(serverCommands)}

${serverCommands.map(chapterOf).join('\n\n')}`
