import type { Readable } from 'node:stream'
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl'
import { FileFault } from '../file-fault.ts'

/** Files in a workbook: a sheet, a drawing, a chart each have a few. */
const entriesMax = 5000

/** Bytes of all unpacked files that are read. */
const unpackedBytesMax = 512 << 20

/** Times that a file may grow when it is unpacked. XML of sheets grows 10 to 30 times, empty rows 150 times. */
const ratioMax = 300

/** Small files may grow as they like. */
const smallBytes = 4 << 20

/** The files of a workbook. Names are compared without case, as the format requires. */
export class Archive {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>
  #unpackedBytes = 0

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /** Opens a workbook; throws a FileFault for any other file. */
  static async open(bytes: Buffer): Promise<Archive> {
    if (bytes.readUIntBE(0, Math.min(4, bytes.length)) === 0xd0cf11e0)
      throw new FileFault(
        'The workbook is encrypted, or was saved by Excel before 2007. Save it as .xlsx without a password.',
      )
    try {
      const zip = await fromBufferPromise(bytes, { lazyEntries: true })
      if (zip.entryCount > entriesMax) throw new FileFault(`The workbook has more than ${entriesMax} files.`)
      const entries = new Map<string, Entry>()
      zip.autoClose = false
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry)
      return new Archive(zip, entries)
    } catch (error) {
      throw asFault(error)
    }
  }

  /** Reads a file in portions; undefined where there is none. */
  read(name: string): AsyncGenerator<Buffer, void, undefined> | undefined {
    const entry = this.#entries.get(name.toLowerCase().replace(/^\//, ''))
    return entry && this.#unpack(entry)
  }

  async *#unpack(entry: Entry): AsyncGenerator<Buffer, void, undefined> {
    const { uncompressedSize, compressedSize } = entry
    const isBomb = uncompressedSize > smallBytes && uncompressedSize > ratioMax * compressedSize
    if (isBomb || uncompressedSize > unpackedBytesMax) throw tooLarge()
    let stream: Readable | undefined
    try {
      stream = await this.#zip.openReadStreamPromise(entry)
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        this.#unpackedBytes += chunk.length
        if (this.#unpackedBytes > unpackedBytesMax) throw tooLarge()
        yield chunk
      }
    } catch (error) {
      throw asFault(error)
    } finally {
      stream?.destroy()
    }
  }
}

const tooLarge = () =>
  new FileFault('The workbook is too large when it is unpacked. Save the sheet as CSV, and import that.')

const asFault = (error: unknown): FileFault =>
  error instanceof FileFault
    ? error
    : new FileFault(
        `The file is not a workbook (.xlsx), or is damaged${error instanceof Error ? `: ${error.message}` : '.'}`,
      )
