/**
 * The statements that run on several shards beside those that ask across workspaces (`across-workspaces.ts`): words
 * that only one of them has, and why it does (docs/decisions/0340).
 */
export const acrossShards: readonly { readonly words: string; readonly why: string }[] = [
  {
    words: 'from kontor_workspaces_in(',
    why: 'Upkeep looks for workspaces with unnumbered events, or counters to fold.',
  },
]

/** The beginning of a line of the log: the database and the name of the connection (`log_line_prefix`). */
export const logPrefix = '[%d] [%a] '

/** The server's own connections are named for it; those of tests are not. */
const server = /^kontor/

/** Matches the beginning of an entry of the log: the database, the application, the level and the text. */
const entry = /^\[([^\]]*)\] \[([^\]]*)\] ([A-Z]+): {2}/

/** Levels of the entries that say more about the one before them. */
const isMore = new Set(['DETAIL', 'HINT', 'CONTEXT', 'QUERY', 'LOCATION', 'STATEMENT'])

const message = 'multi-task query about to be executed'

/**
 * Reads the statements of servers that ran on several shards, each once, from a log of Postgres whose lines begin with
 * `logPrefix`.
 */
export function statementsOnShards(log: string, databases: ReadonlySet<string>): string[] {
  const found = new Set<string>()
  let isOnShards = false
  for (const text of log.split(/\n(?=\[[^\]]*\] \[)/)) {
    const [start = '', database = '', application = '', level = ''] = entry.exec(text) ?? []
    if (!isMore.has(level)) isOnShards = text.includes(message)
    if (level === 'STATEMENT' && isOnShards && databases.has(database) && server.test(application))
      found.add(text.slice(start.length).trim())
  }
  return [...found]
}
