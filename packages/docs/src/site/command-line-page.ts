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

With the command line (CLI), \`kontor\`, you import and export data, read and write records, and call every operation of
the API. In a clone of the repository, write \`npm run -s kontor --\` for \`kontor\`:

\`\`\`
export KONTOR_WORKSPACE=acme KONTOR_API_KEY=$(cat data/demo-api-key)
npm run -s kontor -- records list person --search hopper
\`\`\`

A command exits with 0 on success, 1 on failure, 2 on a wrong command line and 130 when interrupted.
\`kontor schema plan\` also exits with 2 if something differs.

Below is the output of \`--help\` of each command that works over the API, and an example of its output. For the
commands of operators, see [server commands](/docs/guides/server-commands).

${tableFor(otherCommands)}

## Connection

Every command that calls the API also has these options, which the lists below omit. Each can be set by a variable of
the environment, which is in parentheses.

\`\`\`
${connectionHelp}
\`\`\`

${otherCommands.map(chapterOf).join('\n\n')}`

/** The page *Server commands*: the same for the commands that open the database or serve. */
export const serverCommandsPage = `# Server commands

Operators run these commands on the machine of the server. They serve the API, or open the database directly; the server
can run at the same time, but need not. \`DATABASE_URL\` is the address of the database, \`sqlite:PATH\` or
\`postgres://…\`. By default it is the SQLite file in the folder \`DATA_DIR\`, which is \`./data\` by default.

Below is the output of \`--help\` of each command, and an example of its output. For importing and for records, see [the
command line](/docs/guides/command-line).

${tableFor(serverCommands)}

${serverCommands.map(chapterOf).join('\n\n')}`
