import type { Query } from './executor.ts'
import { ReadTx } from './tx.ts'

/** The plan of a query: the text with its placeholders, and the steps in the database's own words. */
type Explained = { sql: string; steps: string[] }

/** Makes a handle that reads like the given one and records its queries so that they can be explained afterwards. */
export function explaining({ executor }: ReadTx) {
  const sent: Query[] = []
  const tx = new ReadTx({
    ...executor,
    send: (query) => {
      sent.push(query)
      return executor.send(query)
    },
  })
  const { words, steps } = tx.dialect.explains
  /** Explains every query so far, in the order in which they were sent, finished or not. */
  const explained = (): Promise<Explained[]> =>
    Promise.all(
      sent.map(async ({ text, values }) => ({
        sql: text,
        steps: steps(await executor.send({ text: `${words} ${text}`, values, answer: 'rows' })),
      })),
    )
  return { tx, explained }
}
