package localcluster

import "encoding/base64"

func decodeAll(texts ...string) ([][]byte, error) {
	var out [][]byte
	for _, text := range texts {
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, err
		}
		out = append(out, decoded)
	}
	return out, nil
}
