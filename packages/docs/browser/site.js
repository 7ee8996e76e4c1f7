// What the pages can do beyond being read. A classic script: it runs from a file too, where modules do not.
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

const copyButton = (code) => {
  const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' })
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Select and copy'),
    )
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  })
  return button
}

/** What a reader has given for `api-key` and `Bearer`, for as long as the tab is open. */
globalThis.readersCredentials = {
  get: (scheme) => {
    try {
      return sessionStorage.getItem(scheme) ?? ''
    } catch {
      return ''
    }
  },
  set: (scheme, value) => {
    try {
      sessionStorage.setItem(scheme, value)
    } catch {
      // A browser that keeps nothing asks again on the next page.
    }
  },
}

;(() => {
  const root = document.documentElement.dataset.root ?? ''

  // --- the key that the banner of `npm start` hands over; it does not stay in the address
  const [, handedOver] = /^#key=([\w-]+)$/.exec(location.hash) ?? []
  if (handedOver !== undefined) {
    globalThis.readersCredentials.set('api-key', handedOver)
    history.replaceState(null, '', location.pathname + location.search)
  }
  const readersKey = globalThis.readersCredentials.get('api-key')
  if (readersKey !== '')
    for (const code of document.querySelectorAll('code.language-bash')) {
      const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace('$KONTOR_API_KEY', readersKey)
    }

  // --- copying code
  for (const code of document.querySelectorAll('pre > code')) {
    const caption = code.closest('figure')?.querySelector('figcaption')
    ;(caption ?? code.parentElement).append(copyButton(code))
  }

  // --- one language at a time, kept from page to page
  const kept = {
    get: () => {
      try {
        return localStorage.getItem('language')
      } catch {
        return null
      }
    },
    set: (language) => {
      try {
        localStorage.setItem('language', language)
      } catch {
        // A browser that keeps nothing shows the first language again.
      }
    },
  }
  const groups = [...document.querySelectorAll('.tabs')].map((tabs) => {
    const figures = [...tabs.querySelectorAll('figure')]
    const languages = figures.map((figure) => figure.querySelector('figcaption').firstChild.textContent)
    const buttons = languages.map((language) =>
      make('button', { type: 'button', className: 'tab', textContent: language }),
    )
    const choose = (language) => {
      const index = Math.max(0, languages.indexOf(language))
      figures.forEach((figure, at) => (figure.hidden = at !== index))
      buttons.forEach((button, at) => button.setAttribute('aria-selected', String(at === index)))
    }
    const choice = make('div', { className: 'choice' }, ...buttons)
    choice.setAttribute('role', 'tablist')
    tabs.prepend(choice)
    return { buttons, languages, choose }
  })
  const chooseAll = (language) => groups.forEach(({ choose }) => choose(language))
  for (const { buttons, languages } of groups)
    buttons.forEach((button, index) => {
      button.setAttribute('role', 'tab')
      button.addEventListener('click', () => {
        const { top } = button.getBoundingClientRect()
        kept.set(languages[index])
        chooseAll(languages[index])
        // What is above may have become longer or shorter: the reader stays at this button.
        scrollBy(0, button.getBoundingClientRect().top - top)
      })
    })
  chooseAll(kept.get())

  // --- search: its scripts are loaded when a reader first searches
  const script = (name) =>
    new Promise((resolve, reject) => {
      const element = make('script', { src: `${root}assets/${name}` })
      element.addEventListener('load', resolve)
      element.addEventListener('error', reject)
      document.head.append(element)
    })
  let loaded
  const load = () =>
    (loaded ??= Promise.all(['minisearch.js', 'search-data.js', 'search.js'].map(script)).then(() =>
      globalThis.createSearch(globalThis.MiniSearch, globalThis.searchData),
    ))

  const input = make('input', { type: 'search', placeholder: 'Search guides and reference', autocomplete: 'off' })
  input.setAttribute('aria-label', 'Search guides and reference')
  const results = make('ul', { className: 'results' })
  const dialog = make('dialog', { className: 'search' }, input, results)
  dialog.setAttribute('aria-label', 'Search')
  document.body.append(dialog)

  const result = ({ u, t, k, n, x }) =>
    make(
      'li',
      {},
      make(
        'a',
        { href: `${root}${u}` },
        make('strong', { textContent: t }),
        make('span', { className: 'type', textContent: ` ${k}` }),
        make('small', { textContent: [n, x].filter(Boolean).join(' · ') }),
      ),
    )
  const show = async () => {
    const find = await load()
    const query = input.value.trim()
    const found = find(query)
    const none = make('li', { className: 'none', textContent: `No results for “${query}”.` })
    results.replaceChildren(...(found.length === 0 && query !== '' ? [none] : found.map(result)))
  }
  const open = () => {
    dialog.showModal()
    input.select()
    void load()
  }
  const step = (by) => {
    const places = [input, ...results.querySelectorAll('a')]
    places[(places.indexOf(document.activeElement) + by + places.length) % places.length].focus()
  }
  input.addEventListener('input', show)
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || target.closest('a') !== null) dialog.close()
  })
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && document.activeElement === input) results.querySelector('a')?.click()
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    step(event.key === 'ArrowDown' ? 1 : -1)
  })
  const find = document.querySelector('.find')
  find.hidden = false
  find.addEventListener('click', open)
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea')
    const isWanted = event.key === '/' || (event.key === 'k' && (event.metaKey || event.ctrlKey))
    if (!isWanted || isTyping || dialog.open) return
    event.preventDefault()
    open()
  })

  // --- the navigation shows where one is
  document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'center' })

  // --- addresses of the reference as it was one page: /docs/#operation/records_create
  const [, domain, key] = /operation\/([A-Za-z]+)_([A-Za-z]+)$/.exec(location.hash) ?? []
  if (key !== undefined) location.replace(`${root}reference/${domain}/${key}.html`)
})()
