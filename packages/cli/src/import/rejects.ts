import { open, type FileHandle } from 'node:fs/promises'
import { stringify } from 'csv-stringify/sync'
import type { Rejection } from './importer.ts'

/** Columns that say which line was rejected and why; an import of the file itself ignores them. */
const added = ['_line', '_reason'] as const

/** Returns whether a column was added to the rows by the import that rejected them. */
export const isAdded = (column: string): boolean => (added as readonly string[]).includes(column)

/**
 * The file of rejected rows: the columns of the input, so that it can be mended and imported again. Made when it is
 * needed.
 */
export class RejectsFile {
  readonly path: string
  readonly #kept: readonly number[]
  readonly #header: readonly string[]
  readonly #delimiter: string
  #file: FileHandle | undefined

  constructor(path: string, header: readonly string[], delimiter: string) {
    this.path = path
    this.#delimiter = delimiter
    this.#kept = [...header.keys()].filter((index) => !isAdded(header[index] as string))
    this.#header = this.#kept.map((index) => header[index] as string)
  }

  get isMade(): boolean {
    return this.#file !== undefined
  }

  async write(rejections: readonly Rejection[]): Promise<void> {
    if (rejections.length === 0) return
    const rows = rejections
      .toSorted((a, b) => a.line - b.line)
      .map(({ line, cells, reason }) => [...this.#kept.map((index) => cells[index] ?? ''), line, reason])
    const file = (this.#file ??= await this.#create())
    await file.write(this.#lines(rows))
  }

  async #create(): Promise<FileHandle> {
    const file = await open(this.path, 'w')
    await file.write(this.#lines([[...this.#header, ...added]]))
    return file
  }

  /** The cells as they were read: line ends and white space at the ends of a cell need quotes to be read again. */
  #lines(rows: readonly (readonly (string | number)[])[]): string {
    return stringify([...rows], { delimiter: this.#delimiter, quoted_match: /[\r\n]|^\s|\s$/ })
  }

  async close(): Promise<void> {
    await this.#file?.close()
  }
}
