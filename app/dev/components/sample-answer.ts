export const sampleAnswer = `## Resizing a volume

A volume can grow **while it is attached**. It never shrinks.

1. Resize it in the portal, or through the API:

\`\`\`sh
curl -X POST "$API/storage/volumes/$ID/resize" \\
  -H "Authorization: Bearer $TOKEN" -d '{"size_gb": 20}'
\`\`\`

2. Grow the file system inside the guest with \`resize2fs\`.

| State | Resize |
| --- | --- |
| Available | yes |
| In use | yes, online |
| Error | no |

- [x] Snapshot taken
- [ ] File system grown

> The new size is billed from the moment of the resize.

See the [guide](https://example.org/guide) for more.
`;

export const hostileAnswer = `<script>alert('script')</script>

<img src="x" onerror="alert('image')">

[Click here](javascript:alert('link')) and ![a pixel](https://tracker.example/pixel.png) and
<a href="https://example.org" onclick="alert('handler')">a link</a>.
`;
