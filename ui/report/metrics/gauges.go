package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// gauges are metrics of this moment.
type gauges []prometheus.Metric

func (g *gauges) add(name, help string, value float64, labels ...string) {
	g.typed(prometheus.GaugeValue, name, help, value, labels...)
}

func (g *gauges) typed(kind prometheus.ValueType, name, help string, value float64, labels ...string) {
	var names, values []string
	for i := 0; i < len(labels); i += 2 {
		names, values = append(names, labels[i]), append(values, labels[i+1])
	}
	*g = append(*g, prometheus.MustNewConstMetric(prometheus.NewDesc("locktop_"+name, help, names, nil), kind, value, values...))
}

func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
