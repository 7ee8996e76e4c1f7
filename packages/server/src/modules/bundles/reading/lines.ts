import { BundleFault } from './bundle-fault.ts'

/** Bytes of one line: a record may have a mebibyte, a version of a workflow or a layout some more. */
const lineBytesMax = 16 * 2 ** 20

const lineBreak = 10

/** The lines of an entry, each with its number. */
export async function* linesOf(
  name: string,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly line: string; readonly number: number }> {
  let begun: Buffer[] = []
  let bytes = 0
  let number = 0
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(lineBreak); at >= 0; at = chunk.indexOf(lineBreak, from)) {
      yield { line: Buffer.concat([...begun, chunk.subarray(from, at)]).toString(), number: ++number }
      begun = []
      bytes = 0
      from = at + 1
    }
    if (from === chunk.length) continue
    begun.push(chunk.subarray(from))
    bytes += chunk.length - from
    if (bytes > lineBytesMax) throw new BundleFault(`${name}: line ${number + 1} has more than ${lineBytesMax} bytes.`)
  }
  if (begun.length > 0) throw new BundleFault(`${name}: line ${number + 1} has no end.`)
}
