/** A file that cannot be read; the message is for the person who sent it. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
}
