import { Parser } from 'htmlparser2'

/** Receives the elements of an XML file, by their names without a prefix. */
export type XmlHandler = {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void
  readonly text?: (text: string) => void
  readonly close?: (name: string) => void
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** Reads an XML file; `isEnough` is called after each portion, and ends the reading. Entities are never defined. */
export async function readXml(
  bytes: AsyncIterable<Buffer> | undefined,
  { open, text, close }: XmlHandler,
  isEnough: () => boolean = () => false,
): Promise<void> {
  if (bytes === undefined) return
  const parser = new Parser(
    {
      ...(open !== undefined && { onopentag: (name, attributes) => open(localName(name), attributes) }),
      ...(text !== undefined && { ontext: text }),
      ...(close !== undefined && { onclosetag: (name) => close(localName(name)) }),
    },
    { xmlMode: true },
  )
  const decoder = new TextDecoder('utf-8')
  for await (const chunk of bytes) {
    parser.write(decoder.decode(chunk, { stream: true }))
    if (isEnough()) return
  }
  parser.end(decoder.decode())
}

/** Reads an escape of a text in a workbook: `_x000D_` is a character. */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
