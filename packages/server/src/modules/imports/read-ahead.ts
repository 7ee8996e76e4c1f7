import { handled } from '../../lib/promises.ts'
import type { ImportRow } from './store.ts'
import type { ImportWindow } from './window.ts'

/** The place of a window in the file of an import. */
type WindowPlace = Pick<ImportRow, 'id' | 'position'>

type AheadWindow = {
  readonly position: number
  /** The schemas that its rows were mapped by. */
  readonly schemas: object
  readonly window: Promise<ImportWindow>
}

/** Imports of a process that are read ahead at the same time: each takes the memory of a window. */
const importsMax = 2

/**
 * The windows that follow those that are being written. A process of the pool reads them meanwhile, so that reading and
 * writing take no turns.
 */
export class ReadAhead {
  readonly #windows = new Map<string, AheadWindow>()

  /** Begins to read the window at a place; another import may read ahead later where as many do as may. */
  begin({ id, position }: WindowPlace, schemas: object, read: () => Promise<ImportWindow>): void {
    if (this.#windows.size >= importsMax) {
      // Of an import that has ended elsewhere, or will begin its window anew.
      const [oldest = id] = this.#windows.keys()
      this.#windows.delete(oldest)
    }
    this.#windows.set(id, { position, schemas, window: handled(read()) })
  }

  /** Takes the window at a place; undefined where it was not read ahead, or by other schemas, or could not be read. */
  async take({ id, position }: WindowPlace, schemas: object): Promise<ImportWindow | undefined> {
    const found = this.#windows.get(id)
    this.#windows.delete(id)
    if (found?.position !== position || found.schemas !== schemas) return undefined
    return found.window.catch(() => undefined)
  }
}
