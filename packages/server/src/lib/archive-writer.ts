import { createHash } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { handled } from './promises.ts'

/** Bytes of an entry, and their digest. */
export type EntryContent = { readonly bytes: number; readonly sha256: string }

/** The level of zlib: JSON becomes a sixth of its size at a third of the time of the default. */
const compressionLevel = 3

/**
 * Writes a zip archive entry by entry, as fast as its output is read. The sizes of entries follow their bytes, so that
 * nothing is gathered before it is written.
 */
export class ArchiveWriter {
  readonly #output = new PassThrough()
  readonly #zip = new ZipFile()
  /** Rejects when the output breaks: then nobody would read the entry that is being written. */
  readonly #broken: Promise<never>

  constructor() {
    this.#broken = handled(
      new Promise((_, reject) => {
        this.#output.once('error', reject)
        this.#output.once('close', () => reject(new Error('The archive was closed before its end')))
      }),
    )
    this.#zip.on('error', (error: Error) => this.#abort(error))
    this.#zip.outputStream.pipe(this.#output)
  }

  /** Writes an entry; resolves when all of its bytes have been read. */
  async add(name: string, chunks: AsyncIterable<Uint8Array>, { isCompressed = true } = {}): Promise<EntryContent> {
    const ended = Promise.withResolvers<void>()
    const digest = createHash('sha256')
    let bytes = 0
    const source = Readable.from(
      (async function* () {
        for await (const chunk of chunks) {
          digest.update(chunk)
          bytes += chunk.length
          yield chunk
        }
      })(),
      { objectMode: false },
    )
    source.once('end', ended.resolve)
    source.once('error', ended.reject)
    const compression = isCompressed ? { compress: true, compressionLevel } : { compress: false }
    this.#zip.addReadStream(source, name, { ...compression, forceZip64Format: true })
    await Promise.race([ended.promise, this.#broken])
    return { bytes, sha256: digest.digest('hex') }
  }

  end(): void {
    this.#zip.end()
  }

  /** Writes entries while another reads them; throws the error of the one that has failed first. */
  async into<T>(read: (output: Readable) => Promise<T>, write: () => Promise<unknown>): Promise<T> {
    const reading = handled(read(this.#output))
    try {
      await write()
    } catch (error) {
      const isFirst = !this.#output.destroyed
      this.#abort(error)
      if (isFirst) throw error
    }
    return reading
  }

  /** Ends the output with an error, for the one that reads it. */
  #abort(error: unknown): void {
    this.#output.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}
