import { callCommand } from './commands/call.ts'
import { completionCommand } from './commands/completion.ts'
import { exportCommand } from './commands/export.ts'
import { importCommand } from './commands/import.ts'
import { loginCommand } from './commands/login.ts'
import { logoutCommand } from './commands/logout.ts'
import { recordsCommand } from './commands/records.ts'
import { schemaCommand } from './commands/schema.ts'
import { sqlCommand } from './commands/sql.ts'
import { typesCommand } from './commands/types.ts'
import { webhooksCommand } from './commands/webhooks.ts'
import type { Edition } from './program.ts'

/** The command line that other projects install: the commands over HTTP, which need neither server nor database. */
export const packedEdition: Edition = {
  note: 'The repository of Kontor has the commands for servers and databases too: serve, migrate, doctor and others.',
  examples: [
    ['kontor types --workspace acme --out src/kontor-types.ts', 'write the types of objects'],
    ['kontor import company companies.csv --map Name=name', 'read a CSV file'],
    ['kontor import --help', 'everything about one command'],
  ],
  commands: [
    loginCommand,
    logoutCommand,
    importCommand,
    exportCommand,
    recordsCommand,
    callCommand,
    sqlCommand,
    typesCommand,
    schemaCommand,
    webhooksCommand,
    completionCommand,
  ],
}
