import { parentPort, workerData } from 'node:worker_threads'
import { SqliteConnection } from '../sqlite-connection.ts'
import type { ReadAnswer, ReaderData, ReadRequest } from './protocol.ts'

/** A thread with a read-only connection of its own: heavy queries stall it and nobody else. */
const connection = new SqliteConnection((workerData as ReaderData).path, { readonly: true })

parentPort?.on('message', ({ id, text, values }: ReadRequest) => {
  let answer: ReadAnswer
  try {
    answer = { id, rows: connection.all(text, values) }
  } catch (error) {
    answer = { id, error: error instanceof Error ? error.message : String(error) }
  }
  parentPort?.postMessage(answer)
})
