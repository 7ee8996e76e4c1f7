import { callCommand } from './commands/call.ts'
import type { Edition } from './program.ts'
import { completionCommand } from './commands/completion.ts'
import { doctorCommand } from './commands/doctor.ts'
import { exportCommand } from './commands/export.ts'
import { importCommand } from './commands/import.ts'
import { indexesCommand } from './commands/indexes.ts'
import { jobsCommand } from './commands/jobs.ts'
import { keyCommand } from './commands/key.ts'
import { loginCommand } from './commands/login.ts'
import { logoutCommand } from './commands/logout.ts'
import { migrateCommand } from './commands/migrate.ts'
import { oauthClientCommand } from './commands/oauth-client.ts'
import { recordsCommand } from './commands/records.ts'
import { schemaCommand } from './commands/schema.ts'
import { sqlCommand } from './commands/sql.ts'
import { serveCommand } from './commands/serve.ts'
import { signingKeyCommand } from './commands/signing-key.ts'
import { tokenCommand } from './commands/token.ts'
import { typesCommand } from './commands/types.ts'
import { userCommand } from './commands/user.ts'
import { webhooksCommand } from './commands/webhooks.ts'
import { workerCommand } from './commands/worker.ts'
import { workspaceCommand } from './commands/workspace.ts'

/** The command line of a clone: every command, with those that open the database or serve. */
export const wholeEdition: Edition = {
  note: 'In a clone of the repository, write "npm run -s kontor --" for "kontor".',
  examples: [
    ['kontor serve', 'serve the API'],
    ['kontor import company companies.csv --map Name=name', 'read a CSV file'],
    ['kontor import --help', 'everything about one command'],
  ],
  commands: [
    serveCommand,
    workerCommand,
    migrateCommand,
    workspaceCommand,
    userCommand,
    loginCommand,
    logoutCommand,
    tokenCommand,
    keyCommand,
    oauthClientCommand,
    signingKeyCommand,
    importCommand,
    exportCommand,
    recordsCommand,
    callCommand,
    sqlCommand,
    typesCommand,
    schemaCommand,
    webhooksCommand,
    jobsCommand,
    indexesCommand,
    doctorCommand,
    completionCommand,
  ],
}
