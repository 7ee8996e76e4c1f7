import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientBase } from 'pg'

/** Returns the statements that servers of this process send during some work, each once. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const texts = new Set<string>()
  const hear = (message: unknown) => void texts.add((message as { readonly text: string }).text)
  subscribe('kontor:statement', hear)
  try {
    await work()
  } finally {
    unsubscribe('kontor:statement', hear)
  }
  return [...texts]
}

/** Returns how Postgres would run a statement with some values, which are literals by the types of its parameters. */
export async function planOf(
  client: Pick<ClientBase, 'query'>,
  text: string,
  values: Readonly<Record<string, string>>,
): Promise<string> {
  await client.query(`prepare explained as ${text}`)
  const { rows } = await client.query<{ types: string[] }>(
    "select parameter_types::text[] as types from pg_prepared_statements where name = 'explained'",
  )
  const given = rows[0]?.types.map((type) => values[type]).join(', ')
  const explained = await client.query<{ 'QUERY PLAN': string }>(`explain execute explained (${given})`)
  await client.query('deallocate explained')
  return explained.rows.map((row) => row['QUERY PLAN']).join('\n')
}
