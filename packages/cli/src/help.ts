/** The examples below a command's help, each with what it does. */
export function examples(...lines: readonly (readonly [command: string, meaning: string])[]): string {
  return `\nExamples:\n${lines.map(([command, meaning]) => `  # ${meaning}\n  ${command}`).join('\n')}\n`
}

/** Where the commands of administration look. */
export const databaseHelp = `
Opens the database itself, with or without a running server. The environment names the database:
  DATABASE_URL   sqlite:PATH or postgres://…; by default the SQLite file in DATA_DIR
  DATA_DIR       by default ./data
`

/** The filters of a command that reads records. */
export const filterHelp = `
Filters:
  --filter 'field=value'             equal; for a collection: one of its items
  --filter 'field[Operator]=value'   Contains, Starts with, Greater than, Is before, One of (with commas), …
  --filter 'field[Is empty]'         without a value
  All must be true. An error lists the allowed fields or operators.
`
