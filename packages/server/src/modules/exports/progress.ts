import type { JobContext } from '../../engine/types.ts'
import { updateTask } from '../async-tasks/index.ts'
import { isOpen } from './ends.ts'
import { lockExport, updateExport } from './store.ts'

/** The export has been cancelled. */
export class ExportStopped extends Error {
  override readonly name = 'ExportStopped'
}

/** Rows between two stored steps: some ten in a second. */
const storedEach = 2000

/** The progress of an export: stored now and then, which also shows whether it has been cancelled. */
export class ExportProgress {
  readonly #context: JobContext
  readonly #id: string
  #done = 0
  #stored = 0

  constructor(context: JobContext, id: string) {
    this.#context = context
    this.#id = id
  }

  begin(): Promise<void> {
    return this.#store()
  }

  async add(steps: number): Promise<void> {
    this.#done += steps
    this.#context.signal.throwIfAborted()
    if (this.#done - this.#stored >= storedEach) await this.#store()
  }

  end(): Promise<void> {
    return this.#store()
  }

  /** Stores the steps; throws where the export has ended meanwhile. */
  #store(): Promise<void> {
    this.#stored = this.#done
    const { database, workspaceId, clock } = this.#context
    return database.write(async (tx) => {
      const row = await lockExport(tx, workspaceId, this.#id)
      if (row === undefined || !isOpen(row)) throw new ExportStopped('The export has ended')
      const now = clock.now()
      const started_at = row.started_at ?? now
      await updateExport(tx, workspaceId, this.#id, { state: 'running', started_at, rows_done: this.#done })
      await updateTask(tx, workspaceId, this.#id, now, { started_at, progress: this.#done })
    })
  }
}
