/** Parses a text as JSON; undefined if it is not JSON. */
export function parsedJson(text: string, read: (text: string) => unknown = JSON.parse): unknown {
  try {
    return read(text)
  } catch {
    return undefined
  }
}
