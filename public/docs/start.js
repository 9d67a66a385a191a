// Starts the API reference with this platform's own document. Nothing is asked of any other server.
window.Scalar.createApiReference('#reference', {
  url: '/api/v1/openapi.json',
  hideClientButton: true,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  telemetry: false,
  theme: 'none',
  layout: 'modern',
  operationTitleSource: 'summary',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: 'bearer' },
  metaData: { title: 'Nephele API reference' },
});
