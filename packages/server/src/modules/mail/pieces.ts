import { Transform, type TransformCallback } from 'node:stream'

/** As much as goes to the mail server at once; files are read and sent in pieces. */
const pieceBytes = 64 * 1024

/**
 * Gathers what comes bit by bit. A letter is made of headers, boundaries and lines, each of which would go to the mail
 * server by a system call of its own.
 */
export class Pieces extends Transform {
  #bits: Buffer[] = []
  #bytes = 0

  override _transform(bit: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bits.push(bit)
    this.#bytes += bit.length
    if (this.#bytes >= pieceBytes) this.#pass()
    done()
  }

  override _flush(done: TransformCallback): void {
    this.#pass()
    done()
  }

  #pass(): void {
    if (this.#bytes > 0) this.push(Buffer.concat(this.#bits))
    this.#bits = []
    this.#bytes = 0
  }
}
