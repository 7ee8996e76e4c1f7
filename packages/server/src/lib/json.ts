/** What a text says as JSON; undefined where it is none. */
export function parsedJson(text: string, read: (text: string) => unknown = JSON.parse): unknown {
  try {
    return read(text)
  } catch {
    return undefined
  }
}
