/** The parts of a browser used here: the client is built without browser types, since it runs elsewhere too. */
type Browser = {
  readonly location: {
    readonly origin: string
    readonly href: string
    readonly assign: (url: string) => void
  }
  readonly history: { readonly replaceState: (data: unknown, unused: string, url: string) => void }
  readonly sessionStorage: {
    readonly getItem: (key: string) => string | null
    readonly setItem: (key: string, value: string) => void
    readonly removeItem: (key: string) => void
  }
}

/** The window that a page is in. */
export const browser = (): Browser => globalThis as unknown as Browser

/** Values that live as long as the tab, apart from those of other apps of the same site. */
export function tabStore(prefix: string) {
  const { sessionStorage } = browser()
  const key = (name: string): string => `kontor.${prefix}.${name}`
  return {
    get: (name: string): string | undefined => sessionStorage.getItem(key(name)) ?? undefined,
    set: (name: string, value: string): void => sessionStorage.setItem(key(name), value),
    remove: (name: string): void => sessionStorage.removeItem(key(name)),
  }
}

export type TabStore = ReturnType<typeof tabStore>
