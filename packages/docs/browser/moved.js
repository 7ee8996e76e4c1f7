// Leads from an address that has moved to the new page, at the same fragment.
const { href } = document.querySelector('link[rel=canonical]')
location.replace(href + location.hash)
