import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableOf } from './tables.ts'

/** A command with its own help; `packages/cli/src/program.test.ts` writes the file. */
type CommandHelp = { readonly command: string; readonly summary: string; readonly help: string }

const commands: readonly CommandHelp[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../commands.json'), 'utf8'),
) as readonly CommandHelp[]

/** A line that was typed beside the sample data; `tests/cli/outputs.long.test.ts` writes the file. */
type CommandOutput = { readonly command: string; readonly line: string; readonly output: string }

const outputs: readonly CommandOutput[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../command-outputs.json'), 'utf8'),
) as readonly CommandOutput[]

const anchorOf = (command: string): string => command.replaceAll(' ', '-')

const sentence = (text: string): string => (/[.:!?]$/.test(text) ? text : `${text}.`)

/** The options that every command over the API has, with the lines that continue their texts. */
const connectionOptions =
  /^ {2}--(?:base-url <url>|api-key <key>|access-token <token>|logins <file>|workspace <slug>) .*\n(?: {8,}\S.*\n)*/gm

/** The paragraph that every command on the database has. */
const databaseNote = /\nOpens the database itself, .*\n(?: {2}[A-Z_]+ .*\n)*/g

/** The help of a command without the parts that the page describes once. */
const ownHelp = (help: string): string =>
  (help.includes('--api-key') ? help.replaceAll(connectionOptions, '') : help)
    .replaceAll(databaseNote, '')
    .replaceAll(/^ {2}-h, --help .*\n/gm, '')
    .replaceAll(/^Options:\n\n/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')

const outputOf = (name: string): string =>
  outputs
    .filter(({ command }) => command === name)
    .map(({ line, output }) => `\n\nOutput beside the sample data:\n\n\`\`\`\n$ ${line}\n${output}\n\`\`\``)
    .join('')

const chapterOf = ({ command, summary, help }: CommandHelp): string =>
  `## ${command}\n\n${sentence(summary)}\n\n\`\`\`\n${ownHelp(help)}\n\`\`\`${outputOf(command)}`

/** The commands of those who run a server; the others work over the API. */
const ofServers = /^kontor (?:serve|worker|migrate|workspace|user|token|key|oauth-client|signing-key|jobs|doctor)\b/

const tableFor = (some: readonly CommandHelp[]): string =>
  tableOf(
    ['Command', 'Use'],
    some.map(({ command, summary }) => [`[${command}](#${anchorOf(command)})`, sentence(summary)]),
  )

const connectionHelp = (commands.find(({ command }) => command === 'kontor records list')?.help ?? '')
  .match(connectionOptions)
  ?.join('')
  .trimEnd()

const [serverCommands, otherCommands] = [
  commands.filter(({ command }) => ofServers.test(command)),
  commands.filter(({ command }) => !ofServers.test(command)),
]

/** The page *The command line*: each command that works over the API, with the output of its `--help`. */
export const commandLinePage = `# The command line

\`kontor\` serves the API, administers workspaces, users and keys, and reads and writes records (CLI). In a clone of the
repository, write \`npm run -s kontor --\` for \`kontor\`. A command exits with 0 on success, 1 on failure, 2 on a wrong
command line and 130 when interrupted; \`kontor schema plan\` exits with 2 where something differs.

Below is the output of \`--help\` of each command that signs in and works over the API, and an example of its output.
The commands for operators are in [server commands](/docs/guides/server-commands).

${tableFor(otherCommands)}

## Connection

Every command that calls the API also has these options. The lists below omit them.

\`\`\`
${connectionHelp}
\`\`\`

${otherCommands.map(chapterOf).join('\n\n')}`

/** The page *Server commands*: the same for the commands that open the database or serve. */
export const serverCommandsPage = `# Server commands

These commands run on the machine of the server: they serve the API, or open the database itself, beside a running
server or without one. \`DATABASE_URL\` names the database: \`sqlite:PATH\` or \`postgres://…\`, by default the SQLite
file in \`DATA_DIR\`, which is \`./data\` by default. Below is the output of \`--help\` of each command, and an example
of its output. For importing and for records, see [the command line](/docs/guides/command-line).

${tableFor(serverCommands)}

${serverCommands.map(chapterOf).join('\n\n')}`
