import { FileFault } from '../file-fault.ts'
import { readXml, unescaped } from './xml.ts'

const stringsMax = 2_000_000
const charactersMax = 48 << 20

/** Reads the texts that cells refer to by their number; formatting and phonetic hints are left out. */
export async function readSharedStrings(bytes: AsyncIterable<Buffer> | undefined): Promise<readonly string[]> {
  const strings: string[] = []
  let current = ''
  let characters = 0
  let [isText, isHint] = [false, false]
  await readXml(bytes, {
    open(name) {
      if (name === 'si') current = ''
      isHint ||= name === 'rPh'
      isText = name === 't' && !isHint
    },
    text(text) {
      if (!isText) return
      current += text
      characters += text.length
      if (characters > charactersMax) throw tooMuch()
    },
    close(name) {
      isText = false
      if (name === 'rPh') isHint = false
      if (name !== 'si') return
      strings.push(unescaped(current))
      if (strings.length > stringsMax) throw tooMuch()
    },
  })
  return strings
}

const tooMuch = () => new FileFault('The workbook has too many texts. Save the sheet as CSV, and import that.')
