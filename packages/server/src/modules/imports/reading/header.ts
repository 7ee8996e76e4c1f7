import { FileFault } from './file-fault.ts'

/** Returns the names of columns; throws a FileFault where one is given twice. */
export function distinctHeader(header: readonly string[]): readonly string[] {
  const twice = header.filter((name, index) => name !== '' && header.indexOf(name) !== index)
  if (twice.length === 0) return header
  const names = twice.map((name) => `"${name}"`).join(', ')
  throw new FileFault(`The first line contains ${names} twice; give each column its own name.`)
}
